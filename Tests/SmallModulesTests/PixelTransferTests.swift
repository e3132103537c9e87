import Testing
import VideoToolbox

@Suite("Pixel buffers with VideoToolbox")
struct PixelTransferTests {
  private static func buffer(
    _ width: Int, _ height: Int, _ format: OSType = kCVPixelFormatType_32BGRA, grey: UInt8 = 0
  ) throws -> CVPixelBuffer {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, format, nil, &created)
    let buffer: CVPixelBuffer = try #require(created)
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let count: Int = CVPixelBufferGetBytesPerRow(buffer) * height
    memset(try #require(CVPixelBufferGetBaseAddress(buffer)), Int32(grey), count)
    return buffer
  }

  private static func pixel(_ buffer: CVPixelBuffer, _ x: Int, _ y: Int) throws -> [UInt8] {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    let base = try #require(CVPixelBufferGetBaseAddress(buffer))
    let offset: Int = y * CVPixelBufferGetBytesPerRow(buffer) + x * 4
    return (0..<3).map { base.load(fromByteOffset: offset + $0, as: UInt8.self) }
  }

  @Test("A buffer becomes an image with its pixels")
  func image() throws {
    let buffer: CVPixelBuffer = try Self.buffer(6, 4, grey: 200)
    var image: CGImage?
    #expect(VTCreateCGImageFromCVPixelBuffer(buffer, options: nil, imageOut: &image) == noErr)
    let made: CGImage = try #require(image)
    #expect(made.width == 6 && made.height == 4)
    #expect(try made.picture.withPixels { $0.allSatisfy { $0 == 200 } })
  }

  @Test("A transfer scales and converts, and letterboxes on black if asked")
  func transfer() throws {
    var session: VTPixelTransferSession?
    VTPixelTransferSessionCreate(allocator: nil, pixelTransferSessionOut: &session)
    let made: VTPixelTransferSession = try #require(session)
    let source: CVPixelBuffer = try Self.buffer(8, 4, kCVPixelFormatType_OneComponent8, grey: 100)
    let target: CVPixelBuffer = try Self.buffer(4, 4)
    #expect(VTPixelTransferSessionTransferImage(made, from: source, to: target) == noErr)
    #expect(try Self.pixel(target, 0, 0) == [100, 100, 100])
    #expect(
      VTSessionSetProperty(
        made, key: kVTPixelTransferPropertyKey_ScalingMode, value: kVTScalingMode_Letterbox)
        == noErr)
    #expect(VTPixelTransferSessionTransferImage(made, from: source, to: target) == noErr)
    #expect(try Self.pixel(target, 0, 0) == [0, 0, 0])
    #expect(try Self.pixel(target, 2, 2) == [100, 100, 100])
    #expect(VTSessionSetProperty(made, key: "Other", value: "x" as CFString) == kVTParameterErr)
    VTPixelTransferSessionInvalidate(made)
  }
}
