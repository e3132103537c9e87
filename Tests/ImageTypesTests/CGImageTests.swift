import CoreGraphics
import CoreVideo
import Foundation
import Imaging
import Testing

/// Converts an image to a pixel buffer. Many iOS projects contain this function. The only change here is that the
/// context draws the image itself.
private func pixelBuffer(from image: CGImage, width: Int, height: Int) -> CVPixelBuffer? {
  let attrs =
    [
      kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!,
      kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue!,
    ] as CFDictionary
  var pixelBuffer: CVPixelBuffer?
  let status = CVPixelBufferCreate(
    kCFAllocatorDefault, width, height, kCVPixelFormatType_32ARGB, attrs, &pixelBuffer)
  guard status == kCVReturnSuccess else { return nil }

  CVPixelBufferLockBaseAddress(pixelBuffer!, CVPixelBufferLockFlags(rawValue: 0))
  let pixelData = CVPixelBufferGetBaseAddress(pixelBuffer!)

  let rgbColorSpace = CGColorSpaceCreateDeviceRGB()
  let context = CGContext(
    data: pixelData, width: width, height: height, bitsPerComponent: 8,
    bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer!), space: rgbColorSpace,
    bitmapInfo: CGImageAlphaInfo.noneSkipFirst.rawValue)
  context?.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
  CVPixelBufferUnlockBaseAddress(pixelBuffer!, CVPixelBufferLockFlags(rawValue: 0))
  return pixelBuffer
}

@Suite struct CGImageTests {
  @Test("A provider copies bytes in memory and then has them freed")
  func memory() throws {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 1)
    bytes.copyMemory(from: [10, 20, 30, 40] as [UInt8], byteCount: 4)
    let made = CGDataProvider(dataInfo: bytes, data: bytes, size: 4) { info, data, size in
      if size == 4, info == UnsafeMutableRawPointer(mutating: data) { info?.deallocate() }
    }
    let provider = try #require(made)
    #expect(provider.data == Data([10, 20, 30, 40]))
    // An array is passed as its elements.
    let pixels: [UInt8] = [1, 2, 3, 4]
    let source = CGDataProvider(dataInfo: nil, data: pixels, size: 4, releaseData: { _, _, _ in })
    let grey = try #require(source)
    let image = try #require(
      CGImage(
        width: 2, height: 2, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 2,
        space: CGColorSpaceCreateDeviceGray(), bitmapInfo: [], provider: grey, decode: nil,
        shouldInterpolate: false, intent: .defaultIntent))
    #expect(try image.picture.withPixels { Array($0) } == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    #expect(image.pixelFormatInfo == .packed && image.byteOrderInfo == .orderDefault)
    let none = CGDataProvider(dataInfo: nil, data: pixels, size: -1, releaseData: { _, _, _ in })
    #expect(none == nil)
  }

  @Test("The usual conversion from image to pixel buffer compiles and preserves the pixels")
  func usualHelper() throws {
    let picture: Picture = try testPicture(width: 21, height: 13)
    let buffer: CVPixelBuffer = try #require(
      pixelBuffer(from: CGImage(picture), width: 21, height: 13))
    #expect(try Picture(buffer) == picture)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_32ARGB)
  }

  @Test("An image reports the layout of its bytes")
  func properties() throws {
    let opaque = CGImage(try testPicture(width: 5, height: 4))
    // Without alpha, too, a pixel has four bytes, as in images that Apple's decoders make. Programs rely on it.
    #expect(opaque.bitsPerPixel == 32)
    #expect(opaque.bytesPerRow == 20)
    #expect(opaque.alphaInfo == .noneSkipLast)
    let pixels: [UInt8] = try opaque.picture.pixels
    var filled: [UInt8] = []
    for pixel in stride(from: 0, to: 60, by: 3) { filled += pixels[pixel..<pixel + 3] + [255] }
    #expect(opaque.dataProvider?.data.map { Array($0) } == filled)
    var drawn = [UInt8](repeating: 0, count: 80)
    try drawn.withUnsafeMutableBytes { bytes in
      let context = try #require(
        CGContext(
          data: bytes.baseAddress, width: 5, height: 4, bitsPerComponent: 8,
          bytesPerRow: opaque.bytesPerRow, space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
      context.draw(opaque, in: CGRect(x: 0, y: 0, width: 5, height: 4))
    }
    #expect(drawn == filled)

    let clear = CGImage(try Picture(width: 1, height: 1, pixels: [1, 2, 3], alpha: [4]))
    #expect(clear.bitsPerPixel == 32)
    #expect(clear.alphaInfo == .last)
    #expect(clear.dataProvider?.data.map { Array($0) } == [1, 2, 3, 4])
  }

  @Test("A cropped image has the pixels of the rectangle, measured from the top left")
  func cropping() throws {
    let picture: Picture = try testPicture(width: 10, height: 8)
    let image = CGImage(picture)
    let part: CGImage = try #require(
      image.cropping(to: CGRect(x: 2, y: 1, width: 3, height: 4)))
    #expect(try part.picture == picture.cropped(x: 2, y: 1, width: 3, height: 4))
    #expect(image.cropping(to: CGRect(x: 8, y: 6, width: 50, height: 50))?.width == 2)
    #expect(image.cropping(to: CGRect(x: 20, y: 0, width: 5, height: 5)) == nil)
    #expect(image.cropping(to: .null) == nil)
  }

  @Test("An image over bytes needs enough bytes in a supported layout")
  func overBytes() throws {
    let provider: CGDataProvider = try #require(
      CGDataProvider(data: Data([3, 2, 1, 255, 6, 5, 4, 255])))
    func image(height: Int, bits: Int, info: UInt32) -> CGImage? {
      CGImage(
        width: 1, height: height, bitsPerComponent: 8, bitsPerPixel: bits, bytesPerRow: 4,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(rawValue: info),
        provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent)
    }
    let bgra: UInt32 =
      CGBitmapInfo.byteOrder32Little.rawValue | CGImageAlphaInfo.noneSkipFirst.rawValue
    #expect(try image(height: 2, bits: 32, info: bgra)?.picture.pixels == [1, 2, 3, 4, 5, 6])
    #expect(image(height: 3, bits: 32, info: bgra) == nil, "too few bytes")
    #expect(image(height: 1, bits: 16, info: bgra) == nil, "no such layout")
  }
}

@Suite struct CGContextTests {
  static func context(_ width: Int, _ height: Int, info: CGImageAlphaInfo) throws -> CGContext {
    try #require(
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: info.rawValue))
  }

  @Test("An image drawn at the lower left appears at the lower left, and nothing else changes")
  func placing() throws {
    let context: CGContext = try Self.context(6, 5, info: .premultipliedLast)
    let picture: Picture = try testPicture(width: 2, height: 3)
    context.draw(CGImage(picture), in: CGRect(x: 0, y: 0, width: 2, height: 3))
    let drawn: Picture = try #require(context.makeImage()).picture
    #expect(try drawn.cropped(x: 0, y: 2, width: 2, height: 3).withoutAlpha == picture)
    #expect(drawn.alpha?.filter { $0 == 255 }.count == 6)
    #expect(drawn.alpha?.filter { $0 == 0 }.count == 24)
  }

  @Test("Pixels outside the context are clipped")
  func clipping() throws {
    let context: CGContext = try Self.context(4, 4, info: .noneSkipLast)
    let picture: Picture = try testPicture(width: 6, height: 6)
    context.draw(CGImage(picture), in: CGRect(x: -1, y: -1, width: 6, height: 6))
    let drawn: Picture = try #require(context.makeImage()).picture
    #expect(try drawn == picture.cropped(x: 1, y: 1, width: 4, height: 4))
    context.draw(CGImage(picture), in: CGRect(x: 100, y: 0, width: 6, height: 6))
    context.draw(CGImage(picture), in: CGRect(x: 1e300, y: -1e300, width: 6, height: 6))
    #expect(try context.makeImage()?.picture == drawn)
  }

  @Test("Translating and mirroring the plane mirrors the image")
  func mirroring() throws {
    let picture: Picture = try testPicture(width: 5, height: 4)
    let context: CGContext = try Self.context(5, 4, info: .noneSkipLast)
    context.saveGState()
    context.translateBy(x: 0, y: 4)
    context.scaleBy(x: 1, y: -1)
    context.draw(CGImage(picture), in: CGRect(x: 0, y: 0, width: 5, height: 4))
    #expect(try context.makeImage()?.picture == picture.oriented(.downMirrored))
    context.restoreGState()
    #expect(context.ctm.isIdentity)
    context.draw(CGImage(picture), in: CGRect(x: 0, y: 0, width: 5, height: 4))
    #expect(try context.makeImage()?.picture == picture)
  }

  @Test("A quarter turn counter-clockwise rotates the image correctly")
  func rotation() throws {
    let picture: Picture = try testPicture(width: 5, height: 4)
    let context: CGContext = try Self.context(4, 5, info: .noneSkipLast)
    context.translateBy(x: 4, y: 0)
    context.rotate(by: .pi / 2)
    context.draw(CGImage(picture), in: CGRect(x: 0, y: 0, width: 5, height: 4))
    #expect(try context.makeImage()?.picture == picture.oriented(.left))
  }

  @Test("Semi-transparent colours blend with the background")
  func mixing() throws {
    let context: CGContext = try Self.context(2, 2, info: .premultipliedFirst)
    context.setFillColor(red: 1, green: 1, blue: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 0.5)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    let drawn: Picture = try #require(context.makeImage()).picture
    #expect(drawn.alpha == [128, 128, 255, 255])
    #expect(Array(drawn.pixels.prefix(3)) == [255, 0, 0])
    #expect(Array(drawn.pixels.suffix(3)) == [255, 127, 127])
    context.clear(CGRect(x: 0, y: 0, width: 1, height: 2))
    #expect(try context.makeImage()?.picture.alpha == [0, 128, 0, 255])
  }

  @Test("A context without a usable layout is not created")
  func refusals() {
    func context(_ width: Int, _ bits: Int, _ row: Int, _ info: CGImageAlphaInfo) -> CGContext? {
      CGContext(
        data: nil, width: width, height: 4, bitsPerComponent: bits, bytesPerRow: row,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: info.rawValue)
    }
    #expect(context(4, 8, 16, .premultipliedLast) != nil)
    #expect(context(0, 8, 16, .premultipliedLast) == nil)
    #expect(context(4, 16, 32, .premultipliedLast) == nil)
    #expect(context(4, 8, 15, .premultipliedLast) == nil)
    #expect(context(4, 8, 16, .alphaOnly) == nil)
  }
}

@Suite("Masks of CoreGraphics")
struct MaskTests {
  private static func mask(_ samples: [UInt8], decode: [CGFloat]? = nil) -> CGImage? {
    CGDataProvider(data: Data(samples)).flatMap { provider in
      func made(_ decode: UnsafePointer<CGFloat>?) -> CGImage? {
        CGImage(
          maskWidth: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 4,
          provider: provider, decode: decode, shouldInterpolate: false)
      }
      guard let decode else { return made(nil) }
      return decode.withUnsafeBufferPointer { made($0.baseAddress) }
    }
  }

  private static func alpha(_ image: CGImage) throws -> [UInt8] {
    let alpha: [UInt8]? = try image.picture.withAlpha { $0.map { Array($0) } }
    return try #require(alpha)
  }

  @Test("A mask is black where its samples are 0; a decode array can reverse that")
  func stencil() throws {
    let mask: CGImage = try #require(Self.mask([0, 255, 9, 9]))
    #expect(mask.isMask && mask.colorSpace == nil)
    #expect(try Self.alpha(mask) == [255, 0])
    let reversed: CGImage = try #require(Self.mask([0, 250, 9, 9], decode: [1, 0]))
    #expect(try Self.alpha(reversed) == [0, 250])
    #expect(Self.mask([0]) == nil)
  }

  @Test("Masking hides pixels where a mask is 255, and where a grey image is black")
  func masking() throws {
    let image = CGImage(try Picture(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6]))
    let mask: CGImage = try #require(Self.mask([0, 255, 9, 9]))
    let masked: CGImage = try #require(image.masking(mask))
    #expect(try Self.alpha(masked) == [255, 0])
    #expect(try masked.picture.withPixels { Array($0) } == [1, 2, 3, 4, 5, 6])
    let grey = CGImage(try Picture(width: 2, height: 1, pixels: [0, 0, 0, 255, 255, 255]))
    let shaded: CGImage = try #require(image.masking(grey))
    #expect(try Self.alpha(shaded) == [0, 255])
  }

  @Test("CFDataCreate copies memory, and its bytes make a provider")
  func data() throws {
    var bytes: [UInt8] = [1, 2, 3]
    let data = CFDataCreate(nil, &bytes, bytes.count)!
    bytes[0] = 9
    #expect(CGDataProvider(data: data)?.data == Data([1, 2, 3]))
  }
}
