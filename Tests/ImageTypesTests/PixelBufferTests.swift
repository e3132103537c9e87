import CoreGraphics
import CoreVideo
import CoreVideo.CVPixelBuffer
import Foundation
import Imaging
import Testing

/// Counts how often external memory is released.
private final class Witness: @unchecked Sendable {
  // `@unchecked Sendable`: only the test's own thread uses the object.
  var released: Int = 0
}

/// Returns the attributes that iOS code usually passes, in the form in which iOS code passes them.
private func usualAttributes() -> CFDictionary {
  [
    kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!,
    kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue!,
  ] as CFDictionary
}

@Suite struct PixelBufferTests {
  static let formats: [(OSType, Int)] = [
    (kCVPixelFormatType_32BGRA, 4), (kCVPixelFormatType_32ARGB, 4), (kCVPixelFormatType_32RGBA, 4),
    (kCVPixelFormatType_32ABGR, 4), (kCVPixelFormatType_24RGB, 3), (kCVPixelFormatType_24BGR, 3),
    (kCVPixelFormatType_OneComponent8, 1), (kCVPixelFormatType_OneComponent16Half, 2),
    (kCVPixelFormatType_OneComponent32Float, 4),
  ]

  @Test(
    "A buffer has the requested size, and rows of complete cache lines", arguments: formats)
  func creation(format: OSType, bytesPerPixel: Int) throws {
    var made: CVPixelBuffer?
    let status = CVPixelBufferCreate(
      kCFAllocatorDefault, 33, 5, format, usualAttributes(), &made)
    #expect(status == kCVReturnSuccess)
    let buffer: CVPixelBuffer = try #require(made)
    #expect(CVPixelBufferGetWidth(buffer) == 33)
    #expect(CVPixelBufferGetHeight(buffer) == 5)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == format)
    let bytesPerRow: Int = CVPixelBufferGetBytesPerRow(buffer)
    #expect(bytesPerRow >= 33 * bytesPerPixel)
    #expect(bytesPerRow % 64 == 0)
    #expect(CVPixelBufferGetDataSize(buffer) == bytesPerRow * 5)
    #expect(CVPixelBufferGetPlaneCount(buffer) == 0)
    #expect(!CVPixelBufferIsPlanar(buffer))
    #expect(CVImageBufferGetEncodedSize(buffer) == CGSize(width: 33, height: 5))

    CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0))
    let base: UnsafeMutableRawPointer = try #require(CVPixelBufferGetBaseAddress(buffer))
    #expect(Int(bitPattern: base) % 64 == 0)
    #expect(
      UnsafeRawBufferPointer(start: base, count: bytesPerRow * 5).allSatisfy { $0 == 0 })
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnError, "not locked any more")
  }

  @Test("The older functions find attached objects, and keys without effect are accepted")
  func attachments() throws {
    var made: CVPixelBuffer?
    let surface: [String: Any] = [
      kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: true,
      kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: true,
      kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey: true,
    ]
    let attributes: [String: Any] = [
      kCVPixelBufferOpenGLCompatibilityKey: true, kCVPixelBufferIOSurfacePropertiesKey: surface,
    ]
    let status: CVReturn = CVPixelBufferCreate(
      nil, 2, 2, kCVPixelFormatType_32BGRA, attributes as CFDictionary, &made)
    #expect(status == kCVReturnSuccess)
    let buffer = try #require(made)
    #expect(CVBufferGetAttachments(buffer, .shouldPropagate) == nil)
    CVBufferSetAttachment(buffer, "word", NSNumber(value: 7), .shouldPropagate)
    let all = try #require(CVBufferGetAttachments(buffer, .shouldPropagate))
    #expect(all.count == 1 && all[AnyHashable("word")] as? Int == 7)
    #expect(CVBufferGetAttachments(buffer, .shouldNotPropagate) == nil)
    var mode = CVAttachmentMode.shouldNotPropagate
    let found = CVBufferGetAttachment(buffer, "word", &mode)?.takeUnretainedValue()
    #expect((found as? NSNumber)?.intValue == 7 && mode == .shouldPropagate)
    #expect(CVBufferGetAttachment(buffer, "other", nil) == nil)
  }

  @Test("Invalid sizes and formats return their error codes and leave the result unchanged")
  func refusals() {
    var made: CVPixelBuffer?
    for (width, height) in [(0, 5), (5, 0), (-1, 5), (Int.max, 2), (5, 1 << 30)] {
      #expect(
        CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &made)
          == kCVReturnInvalidSize)
    }
    #expect(CVPixelBufferCreate(nil, 5, 5, 0x7834_3230, nil, &made) == kCVReturnInvalidPixelFormat)
    let odd: CFDictionary = [kCVPixelBufferBytesPerRowAlignmentKey: 48]
    #expect(
      CVPixelBufferCreate(nil, 5, 5, kCVPixelFormatType_32BGRA, odd, &made)
        == kCVReturnInvalidPixelBufferAttributes)
    #expect(made == nil)
  }

  @Test("External memory is used in place and released once")
  func foreignMemory() throws {
    let witness = Witness()
    var bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    try bytes.withUnsafeMutableBytes { (memory: UnsafeMutableRawBufferPointer) in
      let start: UnsafeMutableRawPointer = try #require(memory.baseAddress)
      var made: CVPixelBuffer?
      let status = CVPixelBufferCreateWithBytes(
        nil, 1, 2, kCVPixelFormatType_32BGRA, start, 4,
        { (context: UnsafeMutableRawPointer?, _: UnsafeRawPointer?) in
          guard let context else { return }
          Unmanaged<Witness>.fromOpaque(context).takeUnretainedValue().released += 1
        }, Unmanaged.passUnretained(witness).toOpaque(), nil, &made)
      #expect(status == kCVReturnSuccess)
      #expect(made.flatMap { CVPixelBufferGetBaseAddress($0) } == start)
      #expect(witness.released == 0)
      made = nil
      #expect(witness.released == 1)
      #expect(
        CVPixelBufferCreateWithBytes(
          nil, 2, 2, kCVPixelFormatType_32BGRA, start, 4, nil, nil, nil, &made)
          == kCVReturnInvalidSize)
    }
  }

  @Test("An image survives a round trip through a buffer of each colour format", arguments: formats)
  func conversion(format: OSType, bytesPerPixel: Int) throws {
    let picture: Picture = try testPicture(width: 37, height: 11)
    let buffer: CVPixelBuffer = try picture.pixelBuffer(format: format)
    let back = try Picture(buffer)
    if PixelLayout(pixelFormat: format)?.bytesPerPixel ?? 0 >= 3,
      format != kCVPixelFormatType_OneComponent32Float
    {
      #expect(back == picture)
    } else {
      let start: [UInt8] = picture.pixels
      let luma: Int =
        (Int(start[0]) * 299 + Int(start[1]) * 587 + Int(start[2]) * 114 + 500) / 1000
      #expect(abs(Int(back.pixels[0]) - luma) <= 1)
    }
  }

  @Test("BGRA is blue, green, red and 255 in memory")
  func bytesOfBGRA() throws {
    let picture = try Picture(width: 1, height: 1, pixels: [10, 20, 30])
    let buffer: CVPixelBuffer = try picture.pixelBuffer()
    let base: UnsafeMutableRawPointer = try #require(CVPixelBufferGetBaseAddress(buffer))
    #expect(Array(UnsafeRawBufferPointer(start: base, count: 4)) == [30, 20, 10, 255])
  }

  @Test("A buffer of another size or without a layout is refused with a message")
  func mismatches() throws {
    let picture: Picture = try testPicture(width: 3, height: 3)
    let other: CVPixelBuffer = try testPicture(width: 4, height: 3).pixelBuffer()
    #expect {
      try picture.write(to: other)
    } throws: {
      "\($0)" == "A picture of 3 × 3 does not fit a pixel buffer of 4 × 3. Scale the picture first."
    }
    #expect {
      try picture.pixelBuffer(format: kCVPixelFormatType_128RGBAFloat)
    } throws: {
      "\($0)".hasPrefix("Pixel format 'RGfA' is not supported for pictures: expected 32BGRA")
    }
  }
}

/// Creates an image in which adjacent pixels differ in all three components.
func testPicture(width: Int, height: Int) throws -> Picture {
  try Picture(width: width, height: height) { (bytes: UnsafeMutableBufferPointer<UInt8>) in
    for index in 0..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index * 37 + 11) }
  }
}
