import Foundation
import Imaging

/// A picture that never changes, with Apple's way to ask for its pixels.
///
/// Inside it is a `Picture`: 8-bit sRGB with alpha apart. A `CGImage` over other bytes (made by the
/// long initialiser, or by a `CGContext`) keeps those bytes and is converted when its `picture`
/// is asked for.
public final class CGImage: Sendable {
  /// Columns of pixels.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// Bits of one component: always 8.
  public let bitsPerComponent: Int
  /// Bits of one pixel: 8, 24 or 32.
  public let bitsPerPixel: Int
  /// Bytes from the start of one row of `dataProvider`'s bytes to the start of the next.
  public let bytesPerRow: Int
  /// Grey or RGB.
  public let colorSpace: CGColorSpace?
  /// The layout of `dataProvider`'s bytes.
  public let bitmapInfo: CGBitmapInfo
  /// Whether a viewer may smooth the picture when it is enlarged.
  public let shouldInterpolate: Bool

  private enum Storage: Sendable {
    case picture(Picture)
    case bytes(Data, PixelLayout)
  }
  private let storage: Storage

  /// A `CGImage` of a picture. No pixel is copied.
  ///
  /// Its bytes are R, G, B, or R, G, B, A (not premultiplied) where the picture has alpha.
  public init(_ picture: Picture) {
    let alphaInfo: CGImageAlphaInfo = picture.hasAlpha ? .last : .none
    width = picture.width
    height = picture.height
    bitsPerComponent = 8
    bitsPerPixel = picture.hasAlpha ? 32 : 24
    bytesPerRow = picture.width * (picture.hasAlpha ? 4 : 3)
    colorSpace = CGColorSpaceCreateDeviceRGB()
    bitmapInfo = CGBitmapInfo(rawValue: alphaInfo.rawValue)
    shouldInterpolate = true
    storage = .picture(picture)
  }

  /// A picture over bytes in a stated layout.
  ///
  /// - Returns: `nil` where the layout is not one of 8-bit grey, 24-bit RGB or 32-bit RGB with
  ///   alpha or a skipped byte on either side and either byte order, where a size is not positive,
  ///   or where the provider has fewer bytes than the rows need.
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
    self.storage = .bytes(data, layout)
  }

  /// Where alpha lies and what it means.
  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alphaInfo }

  /// The bytes of the picture: `height` rows of `bytesPerRow`, laid out as `bitmapInfo` says.
  public var dataProvider: CGDataProvider? {
    switch storage {
    case .bytes(let data, _): return CGDataProvider(data: data)
    case .picture(let picture): return CGDataProvider { picture.interleavedBytes() }
    }
  }

  /// The pixels as 8-bit sRGB with alpha apart. Copied only where the bytes lie otherwise.
  public var picture: Picture {
    get throws {
      switch storage {
      case .picture(let picture): return picture
      case .bytes(let data, let layout):
        return try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Picture in
          guard let rows: UnsafeRawPointer = bytes.baseAddress else {
            throw ImagingError(code: .unsupportedPixels, message: "A CGImage has no bytes.")
          }
          // Safe: the initialiser found the data to hold all rows.
          return try Picture(
            width: width, height: height, layout: layout, rows: rows, bytesPerRow: bytesPerRow)
        }
      }
    }
  }

  /// The part of the picture inside a rectangle, in pixels from the top left corner.
  ///
  /// The rectangle grows to whole pixels and is cut to the picture.
  ///
  /// - Returns: `nil` where rectangle and picture share no pixel.
  public func cropping(to rect: CGRect) -> CGImage? {
    let bounds = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
    let part: CGRect = rect.integral.intersection(bounds)
    guard !part.isNull, part.width >= 1, part.height >= 1,
      let whole: Picture = try? picture,
      let cut: Picture = try? whole.cropped(
        x: Int(part.minX), y: Int(part.minY), width: Int(part.width), height: Int(part.height))
    else { return nil }
    return CGImage(cut)
  }

  /// A second name for the same picture.
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
  /// R, G, B, or R, G, B, A where there is alpha, without gaps between rows.
  fileprivate func interleavedBytes() -> Data? {
    guard hasAlpha else { return withPixels { Data($0) } }
    var data = Data(count: width * height * 4)
    let done: Void? = try? data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
      guard let rows: UnsafeMutableRawPointer = bytes.baseAddress else { return }
      // Safe: the data holds height rows of width * 4 bytes.
      try write(to: rows, bytesPerRow: width * 4, layout: .rgba(.straight))
    }
    return done.map { data }
  }
}

extension PixelLayout {
  /// The layout that CoreGraphics' numbers describe, or `nil` where pictures have no such.
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
