@_exported import CoreGraphics
@_exported import ImageIO
import Foundation
import Imaging

/// A picture with a place in the plane: pixels, and the rectangle that they lie in.
///
/// Coordinates have their origin at the lower left, as at Apple. Operations here are done at once,
/// on 8-bit sRGB; there are no filters.
public final class CIImage: Sendable {
  /// Where the pixels lie. The origin is the lower left corner.
  public let extent: CGRect

  private let content: Result<Picture, any Error>

  private init(_ content: Result<Picture, any Error>, extent: CGRect) {
    self.content = content
    self.extent = extent
  }

  private convenience init(_ picture: Picture, origin: CGPoint) {
    let extent = CGRect(
      x: origin.x, y: origin.y, width: CGFloat(picture.width), height: CGFloat(picture.height))
    self.init(.success(picture), extent: extent)
  }

  /// The pixels, of `extent`'s size.
  ///
  /// - Throws: `ImagingError` where the image is empty, or was made of pixels that pictures cannot
  ///   be made from. Apple's initialisers have no way to say so earlier.
  public var picture: Picture {
    get throws { try content.get() }
  }

  /// An image of a picture. Its lower left corner is at (0, 0).
  public convenience init(_ picture: Picture) {
    self.init(picture, origin: CGPoint(x: 0, y: 0))
  }

  /// An image of a `CGImage`.
  public convenience init(cgImage: CGImage) {
    self.init(
      Result { () throws -> Picture in try cgImage.picture },
      extent: CGRect(x: 0, y: 0, width: CGFloat(cgImage.width), height: CGFloat(cgImage.height)))
  }

  /// An image of a pixel buffer, copied now. Alpha is not read.
  ///
  /// Where pictures cannot be made from the buffer's format, `picture` throws and nothing is drawn.
  public convenience init(cvPixelBuffer: CVPixelBuffer) {
    let width = CGFloat(CVPixelBufferGetWidth(cvPixelBuffer))
    let height = CGFloat(CVPixelBufferGetHeight(cvPixelBuffer))
    self.init(
      Result { () throws -> Picture in try Picture(cvPixelBuffer) },
      extent: CGRect(x: 0, y: 0, width: width, height: height))
  }

  /// An image of a pixel buffer, copied now. See `init(cvPixelBuffer:)`.
  public convenience init(cvImageBuffer: CVImageBuffer) {
    self.init(cvPixelBuffer: cvImageBuffer)
  }

  /// An image without a pixel.
  public static func empty() -> CIImage {
    let error = ImagingError(
      code: .invalidGeometry, message: "An image is empty, expected pixels. Check how it was cut.")
    return CIImage(.failure(error), extent: .null)
  }

  /// An image of a file as it is stored: the orientation is not applied. `nil` where the file cannot
  /// be read.
  public convenience init?(contentsOf url: URL, options: [CIImageOption: Any]? = nil) {
    let applies: Bool = options?[.applyOrientationProperty] as? Bool ?? false
    guard
      let picture = try? Picture(contentsOf: url, orientation: applies ? .applied : .ignored)
    else { return nil }
    self.init(picture)
  }

  /// An image of a file's bytes as it is stored. `nil` where they are not a picture.
  public convenience init?(data: Data, options: [CIImageOption: Any]? = nil) {
    let applies: Bool = options?[.applyOrientationProperty] as? Bool ?? false
    guard let picture = try? Picture(data: data, orientation: applies ? .applied : .ignored) else {
      return nil
    }
    self.init(picture)
  }

  /// The image turned the way it is shown. Its lower left corner is at (0, 0).
  public func oriented(_ orientation: CGImagePropertyOrientation) -> CIImage {
    let swaps: Bool = orientation.pictureOrientation.swapsSides
    let turned: Result<Picture, any Error> = Result { () throws -> Picture in
      try content.get().oriented(orientation.pictureOrientation)
    }
    let size = CGSize(
      width: swaps ? extent.height : extent.width, height: swaps ? extent.width : extent.height)
    return CIImage(turned, extent: CGRect(origin: CGPoint(x: 0, y: 0), size: size))
  }

  /// The image turned the way it is shown, by the EXIF number. Another number changes nothing.
  public func oriented(forExifOrientation orientation: Int32) -> CIImage {
    guard let raw = UInt32(exactly: orientation),
      let known = CGImagePropertyOrientation(rawValue: raw)
    else { return self }
    return oriented(known)
  }

  /// The part of the image inside a rectangle, which stays where it is in the plane.
  ///
  /// The rectangle grows to whole pixels. One that shares no pixel with the image makes an empty
  /// image.
  public func cropped(to rect: CGRect) -> CIImage {
    let part: CGRect = rect.integral.intersection(extent)
    guard !part.isNull, part.width >= 1, part.height >= 1 else { return CIImage.empty() }
    let cut: Result<Picture, any Error> = Result { () throws -> Picture in
      try content.get().cropped(
        x: Int(part.minX - extent.minX), y: Int(extent.maxY - part.maxY), width: Int(part.width),
        height: Int(part.height))
    }
    return CIImage(cut, extent: part)
  }

  /// The image moved and scaled along the axes; a negative scale mirrors it. Scaling is Lanczos, and
  /// sides are rounded to whole pixels.
  ///
  /// A transform that turns or shears makes an image whose `picture` throws: it is not supported.
  public func transformed(by transform: CGAffineTransform) -> CIImage {
    let moved: CGRect = extent.applying(transform)
    let width: Int = max(1, Int(min(moved.width.rounded(), 2_097_152)))
    let height: Int = max(1, Int(min(moved.height.rounded(), 2_097_152)))
    let extent = CGRect(
      x: moved.minX, y: moved.minY, width: CGFloat(width), height: CGFloat(height))
    let result: Result<Picture, any Error> = Result { () throws -> Picture in
      guard transform.b == 0, transform.c == 0, transform.a != 0, transform.d != 0 else {
        throw ImagingError(
          code: .invalidGeometry,
          message: "An image was transformed by a map that turns or shears: expected one that moves"
            + " and scales. Use oriented(_:) for quarter turns.")
      }
      var scaled: Picture = try content.get().scaled(toWidth: width, height: height)
      if transform.a < 0 { scaled = try scaled.oriented(.upMirrored) }
      if transform.d < 0 { scaled = try scaled.oriented(.downMirrored) }
      return scaled
    }
    return CIImage(result, extent: extent)
  }
}

/// Keys of the options that images are made with.
public struct CIImageOption: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// A key from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Whether the EXIF orientation is applied, a truth value.
  public static let applyOrientationProperty: CIImageOption = CIImageOption(
    rawValue: "CIImageApplyOrientationProperty")
}
