import Accelerate
import Foundation
import Imaging
import Testing

/// Tests `vImage.PixelBuffer`, and pictures of Core Graphics in vImage.
struct PixelBufferTests {
  @Test("Planes are scaled, joined and converted to bytes, as a decoder's output is")
  func planesToImage() throws {
    var planes: [vImage.PixelBuffer<vImage.PlanarF>] = []
    for channel in 0..<3 {
      // −1…1 becomes 0…1.
      var values: [Float] = (0..<12).map { Float($0) / 11 * 2 - 1 + Float(channel) }
      values.withUnsafeMutableBytes { bytes in
        let given = vImage.PixelBuffer<vImage.PlanarF>(
          data: bytes.baseAddress!, width: 4, height: 3, byteCountPerRow: 16)
        let made = vImage.PixelBuffer<vImage.PlanarF>(width: 4, height: 3)
        given.multiply(by: 0.5, preBias: 1, postBias: 0, destination: made)
        planes.append(made)
      }
    }
    let floats = vImage.PixelBuffer<vImage.InterleavedFx3>(planarBuffers: planes)
    let bytes = vImage.PixelBuffer<vImage.Interleaved8x3>(width: 4, height: 3)
    floats.convert(to: bytes)
    let expected: [UInt8] = (0..<12).flatMap { index in
      (0..<3).map { channel in
        let value: Double = Double(index) / 11 + 0.5 * Double(channel)
        return UInt8((min(1, max(0, value)) * 255).rounded())
      }
    }
    #expect(bytes.array == expected)
    let format = try #require(
      vImage_CGImageFormat(
        bitsPerComponent: 8, bitsPerPixel: 24, colorSpace: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue)))
    let image: CGImage = try #require(bytes.makeCGImage(cgImageFormat: format))
    #expect(image.width == 4 && image.height == 3)
    #expect(try image.picture.pixels == expected)
  }

  @Test("An image with four bytes for each pixel fills a buffer with three")
  func withoutFourth() throws {
    let (image, bytes) = try Self.image()
    let format = try #require(
      vImage_CGImageFormat(
        bitsPerComponent: 8, bitsPerPixel: 24, colorSpace: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue)))
    let buffer = try vImage_Buffer(cgImage: image, format: format)
    defer { buffer.free() }
    let rows = UnsafeRawBufferPointer(start: buffer.data, count: 2 * buffer.rowBytes)
    let found: [UInt8] = (0..<2).flatMap { row in (0..<15).map { rows[row * buffer.rowBytes + $0] }
    }
    #expect(found == bytes.enumerated().filter { $0.offset % 4 != 3 }.map(\.element))
  }

  /// An image of 5 × 2 pixels with the channels red, green, blue and an unused byte.
  private static func image() throws -> (CGImage, [UInt8]) {
    let bytes: [UInt8] = (0..<40).map { $0 % 4 == 3 ? 255 : UInt8($0 * 6) }
    let provider = try #require(CGDataProvider(data: Data(bytes)))
    let image = CGImage(
      width: 5, height: 2, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 20,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.noneSkipLast.rawValue),
      provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent)
    return (try #require(image), bytes)
  }

  @Test("An image's pixels lose their alpha, are separated and become floats")
  func imageToPlanes() throws {
    let (image, bytes) = try Self.image()
    var format = vImage_CGImageFormat()
    let four = try vImage.PixelBuffer<vImage.Interleaved8x4>(cgImage: image, cgImageFormat: &format)
    #expect(format.bitsPerPixel == 32 && four.array == bytes)
    let three = vImage.PixelBuffer<vImage.Interleaved8x3>(width: 5, height: 2)
    four.convert(to: three, channelOrdering: .RGBA)
    let planes = vImage.PixelBuffer<vImage.Planar8x3>(interleavedBuffer: three)
    let blue = vImage.PixelBuffer<vImage.PlanarF>(width: 5, height: 2)
    planes.withUnsafePixelBuffer(at: 2) { $0.convert(to: blue) }
    let expected: [Float] = (0..<10).map { Float(bytes[4 * $0 + 2]) / 255 }
    #expect(zip(blue.array, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(throws: vImage.Error.invalidImageFormat) {
      _ = try vImage.PixelBuffer<vImage.Planar8>(cgImage: image, cgImageFormat: &format)
    }
  }

  @Test("A converter changes the order of channels, and refuses other sizes")
  func converter() throws {
    let (image, bytes) = try Self.image()
    var source = try #require(vImage_CGImageFormat(cgImage: image))
    var target = try #require(
      vImage_CGImageFormat(
        bitsPerComponent: 8, bitsPerPixel: 32, colorSpace: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.first.rawValue)))
    var from = try vImage_Buffer(cgImage: image)
    var to = try vImage_Buffer(width: 5, height: 2, bitsPerPixel: 32)
    var small = try vImage_Buffer(width: 4, height: 2, bitsPerPixel: 32)
    defer { for buffer in [from, to, small] { buffer.free() } }
    var error: vImage_Error = -1
    let converter = try #require(
      vImageConverter_CreateWithCGImageFormat(&source, &target, nil, 0, &error)?.takeRetainedValue()
    )
    #expect(error == kvImageNoError)
    #expect(vImageConvert_AnyToAny(converter, &from, &to, nil, 0) == kvImageNoError)
    let row = UnsafeBufferPointer(start: to.data.assumingMemoryBound(to: UInt8.self), count: 20)
    let expected: [UInt8] = (0..<5).flatMap { [255] + bytes[4 * $0..<4 * $0 + 3] }
    #expect(Array(row) == expected)
    #expect(vImageConvert_AnyToAny(converter, &from, &small, nil, 0) == kvImageBufferSizeMismatch)
    var nothing = vImage_CGImageFormat()
    #expect(vImageConverter_CreateWithCGImageFormat(&nothing, &target, nil, 0, &error) == nil)
    #expect(error == kvImageInvalidImageFormat)
  }

  @Test("Half precision is converted there and back", arguments: [0, 1, 17, 1000])
  func halves(count: Int) {
    let values: [Float] = (0..<count).map { Float($0) * 0.37 - 50 }
    var halves = [Float16](repeating: 0, count: count)
    vDSP.convertElements(of: values, to: &halves)
    #expect(halves == values.map { Float16($0) })
    var back = [Float](repeating: 0, count: count)
    vDSP.convertElements(of: halves, to: &back)
    #expect(back == halves.map { Float($0) })
  }

  @Test("Accelerate brings CoreVideo, and attachments go along to other buffers")
  func attachments() throws {
    var buffers: [CVPixelBuffer?] = [nil, nil]
    for index in 0..<2 {
      CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, nil, &buffers[index])
    }
    let (one, other) = (try #require(buffers[0]), try #require(buffers[1]))
    CVBufferSetAttachment(one, "kept", NSNumber(value: 1), .shouldNotPropagate)
    CVBufferSetAttachment(one, "passed", NSNumber(value: 2), .shouldPropagate)
    CVBufferPropagateAttachments(one, other)
    #expect(CVBufferHasAttachment(other, "passed") && !CVBufferHasAttachment(other, "kept"))
    var mode = CVAttachmentMode.shouldNotPropagate
    #expect((CVBufferCopyAttachment(other, "passed", &mode) as? NSNumber)?.intValue == 2)
    #expect(mode == .shouldPropagate)
    CVBufferRemoveAttachment(other, "passed")
    #expect(CVBufferCopyAttachments(other, .shouldPropagate) == nil)
  }
}
