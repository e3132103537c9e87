import Foundation
import Imaging

/// An immutable image with Apple's interface.
///
/// An image from a picture holds that `Picture`: 8-bit sRGB with separate alpha. An image from a data provider or a
/// `CGContext` holds bytes in another layout. It converts the bytes whenever a caller reads `picture`.
public final class CGImage: Sendable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The bits per component, always 8.
  public let bitsPerComponent: Int
  /// The bits per pixel: 8, 24 or 32.
  public let bitsPerPixel: Int
  /// The bytes per row of `dataProvider`'s bytes, including padding.
  public let bytesPerRow: Int
  /// The colour space: grey or RGB.
  public let colorSpace: CGColorSpace?
  /// The pixel layout of `dataProvider`'s bytes.
  public let bitmapInfo: CGBitmapInfo
  /// Whether a viewer may interpolate pixels when it enlarges the image.
  public let shouldInterpolate: Bool
  /// Whether the image is a mask: black where its samples are 0, and transparent where they are 255.
  public let isMask: Bool

  private enum Storage: Sendable {
    case picture(Picture)
    case bytes(Data, PixelLayout)
  }
  private let storage: Storage

  /// Makes a `CGImage` from a picture without copying its pixels.
  ///
  /// The bytes of a pixel are R, G, B, A, or R, G, B and 255 if the picture has no alpha, as those of images that Apple's
  /// decoders make. The colours are not premultiplied.
  public init(_ picture: Picture) {
    let alphaInfo: CGImageAlphaInfo = picture.hasAlpha ? .last : .noneSkipLast
    width = picture.width
    height = picture.height
    bitsPerComponent = 8
    bitsPerPixel = 32
    bytesPerRow = picture.width * 4
    colorSpace = CGColorSpaceCreateDeviceRGB()
    bitmapInfo = CGBitmapInfo(rawValue: alphaInfo.rawValue)
    shouldInterpolate = true
    isMask = false
    storage = .picture(picture)
  }

  /// Makes an image from bytes in a given layout.
  ///
  /// - Returns: Nil if the layout is not supported, if the width or the height is outside of 1…1,048,576, if
  ///   `bytesPerRow` is too small for a row, or if the provider has fewer bytes than the rows need. The supported
  ///   layouts are 8-bit grey, 24-bit RGB, and 32-bit RGB with alpha or an unused byte. The alpha or the unused byte
  ///   may be first or last, and the byte order may be little-endian or big-endian.
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: CGBitmapInfo, provider: CGDataProvider,
    decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    guard
      let layout = PixelLayout(
        bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, space: space,
        bitmapInfo: bitmapInfo),
      width > 0, height > 0, width <= 1 << 20, height <= 1 << 20,
      bytesPerRow >= width * layout.bytesPerPixel, bytesPerRow <= Int(Int32.max),
      let data: Data = provider.data,
      data.count >= (height - 1) * bytesPerRow + width * layout.bytesPerPixel
    else { return nil }
    self.width = width
    self.height = height
    self.bitsPerComponent = bitsPerComponent
    self.bitsPerPixel = bitsPerPixel
    self.bytesPerRow = bytesPerRow
    self.colorSpace = space
    self.bitmapInfo = bitmapInfo
    self.shouldInterpolate = shouldInterpolate
    self.isMask = false
    self.storage = .bytes(data, layout)
  }

  /// Makes a mask from samples of 8 bits.
  ///
  /// - Parameter decode: The two values that the samples 0 and 255 stand for: nil for 0 and 1, or 1 and 0.
  /// - Returns: Nil if the samples do not have 8 bits, if the width or the height is outside of 1…1,048,576, if
  ///   `bytesPerRow` is too small for a row, or if the provider has fewer bytes than the rows need.
  public init?(
    maskWidth width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int,
    provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool
  ) {
    guard bitsPerComponent == 8, bitsPerPixel == 8, width > 0, height > 0, width <= 1 << 20,
      height <= 1 << 20, bytesPerRow >= width, bytesPerRow <= Int(Int32.max),
      let data: Data = provider.data, data.count >= (height - 1) * bytesPerRow + width
    else { return nil }
    self.width = width
    self.height = height
    self.bitsPerComponent = bitsPerComponent
    self.bitsPerPixel = bitsPerPixel
    self.bytesPerRow = bytesPerRow
    colorSpace = nil
    bitmapInfo = CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue)
    self.shouldInterpolate = shouldInterpolate
    isMask = true
    // Safe: the parameter is documented to have two values.
    let isReversed: Bool = decode.map { $0[0] > $0[1] } ?? false
    storage = .bytes(isReversed ? Data(data.map { 255 - $0 }) : data, .grey8)
  }

  /// The position and the meaning of alpha.
  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alphaInfo }

  /// The order of the bytes in a pixel.
  public var byteOrderInfo: CGImageByteOrderInfo { bitmapInfo.byteOrder }

  /// The packing of the components, always ``CGImagePixelFormatInfo/packed``.
  public var pixelFormatInfo: CGImagePixelFormatInfo { bitmapInfo.pixelFormat }

  /// The bytes of the image: `height` rows of `bytesPerRow` bytes in the layout `bitmapInfo`.
  public var dataProvider: CGDataProvider? {
    switch storage {
    case .bytes(let data, _): return CGDataProvider(data: data)
    case .picture(let picture): return CGDataProvider { picture.interleavedBytes() }
    }
  }

  /// The pixels as 8-bit sRGB with separate alpha. If the image was made from a picture, the property returns that
  /// picture without copying pixels.
  public var picture: Picture {
    get throws {
      switch storage {
      case .picture(let picture): return picture
      case .bytes(let data, .grey8) where isMask:
        return try Picture(
          width: width, height: height, pixels: [UInt8](repeating: 0, count: width * height * 3),
          alpha: samples(of: data).map { 255 - $0 })
      case .bytes(let data, let layout):
        return try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Picture in
          guard let rows: UnsafeRawPointer = bytes.baseAddress else {
            throw ImagingError(code: .unsupportedPixels, message: "A CGImage has no bytes.")
          }
          // Safe: the initialiser checked that the data holds all rows.
          return try Picture(
            width: width, height: height, layout: layout, rows: rows, bytesPerRow: bytesPerRow)
        }
      }
    }
  }

  /// Returns the part of the image inside a rectangle.
  ///
  /// - Parameter rect: The rectangle in pixels, with the origin at the top left. The method enlarges the rectangle to
  ///   integer pixels and clips it to the image.
  /// - Returns: Nil if the rectangle and the image have no pixel in common.
  public func cropping(to rect: CGRect) -> CGImage? {
    let bounds = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
    let part: CGRect = rect.integral.intersection(bounds)
    guard !part.isNull, part.width >= 1, part.height >= 1,
      let full: Picture = try? picture,
      let cropped: Picture = try? full.cropped(
        x: Int(part.minX), y: Int(part.minY), width: Int(part.width), height: Int(part.height))
    else { return nil }
    return CGImage(cropped)
  }

  /// Returns the image with the alpha of another image of the same size or scaled to it.
  ///
  /// - Parameter mask: A mask, which hides the pixels where its samples are 255, or a grey image, which hides them
  ///   where it is black.
  /// - Returns: Nil if one of the images has no pixels.
  public func masking(_ mask: CGImage) -> CGImage? {
    guard let shown: Picture = try? picture, let alpha = try? mask.opacities(width, height) else {
      return nil
    }
    let pixels: [UInt8] = shown.withPixels { Array($0) }
    return (try? Picture(width: width, height: height, pixels: pixels, alpha: alpha))
      .map { CGImage($0) }
  }

  /// The alpha of each pixel of an image of another size that this image masks.
  private func opacities(_ width: Int, _ height: Int) throws -> [UInt8] {
    var grey: Picture
    if isMask, case .bytes(let data, _) = storage {
      let samples: [UInt8] = samples(of: data)
      grey = try Picture(
        width: self.width, height: self.height, pixels: samples.flatMap { [$0, $0, $0] })
    } else {
      grey = try picture
    }
    if grey.width != width || grey.height != height {
      grey = try grey.fitted(toWidth: width, height: height, mode: .scaleFill)
    }
    let reds: [UInt8] = grey.withPixels { pixels in
      stride(from: 0, to: pixels.count, by: 3).map { pixels[$0] }
    }
    return isMask ? reds.map { 255 - $0 } : reds
  }

  /// The samples of a mask without the gaps between rows.
  private func samples(of data: Data) -> [UInt8] {
    (0..<height).flatMap { (row: Int) -> Data in
      let start: Int = data.startIndex + row * bytesPerRow
      return data[start..<(start + width)]
    }
  }

  /// Writes the colours without alpha: three bytes for each pixel.
  package func writeColors(to rows: UnsafeMutableRawPointer, bytesPerRow: Int) throws {
    try picture.write(to: rows, bytesPerRow: bytesPerRow, layout: .rgb)
  }

  /// Returns the same image, because images are immutable.
  public func copy() -> CGImage? { self }
}

extension CGImage: Hashable {
  /// Images are equal when they are the same image.
  public static func == (left: CGImage, right: CGImage) -> Bool {
    left === right
  }

  /// Hashes the image's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension Picture {
  /// Returns the bytes R, G, B, A of each pixel without gaps between rows. Without alpha, A is 255.
  fileprivate func interleavedBytes() -> Data? {
    var data = Data(count: width * height * 4)
    let done: Void? = try? data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
      guard let rows: UnsafeMutableRawPointer = bytes.baseAddress else { return }
      // Safe: the data holds `height` rows of `width * 4` bytes.
      try write(to: rows, bytesPerRow: width * 4, layout: .rgba(hasAlpha ? .straight : .skipped))
    }
    return done.map { data }
  }
}

extension PixelLayout {
  /// Makes the layout that CoreGraphics' parameters describe. Returns nil if `Picture` does not support the layout.
  init?(
    bitsPerComponent: Int, bitsPerPixel: Int, space: CGColorSpace, bitmapInfo: CGBitmapInfo
  ) {
    guard bitsPerComponent == 8, !bitmapInfo.contains(.floatComponents) else { return nil }
    let order: UInt32 = bitmapInfo.rawValue & CGBitmapInfo.byteOrderMask.rawValue
    let reversed: Bool = order == CGImageByteOrderInfo.order32Little.rawValue
    guard reversed || order == 0 || order == CGImageByteOrderInfo.order32Big.rawValue else {
      return nil
    }
    switch (space.model, bitsPerPixel, bitmapInfo.alphaInfo) {
    case (.monochrome, 8, .none): self = .grey8
    case (.rgb, 24, .none): self = .rgb
    case (.rgb, 32, .none), (.rgb, 32, .noneSkipLast):
      self = reversed ? .abgr(.skipped) : .rgba(.skipped)
    case (.rgb, 32, .noneSkipFirst): self = reversed ? .bgra(.skipped) : .argb(.skipped)
    case (.rgb, 32, .last): self = reversed ? .abgr(.straight) : .rgba(.straight)
    case (.rgb, 32, .first): self = reversed ? .bgra(.straight) : .argb(.straight)
    case (.rgb, 32, .premultipliedLast):
      self = reversed ? .abgr(.premultiplied) : .rgba(.premultiplied)
    case (.rgb, 32, .premultipliedFirst):
      self = reversed ? .bgra(.premultiplied) : .argb(.premultiplied)
    default: return nil
    }
  }
}
