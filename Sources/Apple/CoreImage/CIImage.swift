@_exported import CoreGraphics
@_exported import ImageIO
import Foundation
import Imaging

/// An image with a position in the plane: pixels and their rectangle.
///
/// Coordinates have their origin at the lower left, as in Apple's framework. Each operation computes the pixels of its
/// result at once, in 8-bit sRGB.
public final class CIImage: Sendable {
  /// The rectangle of the pixels. Its origin is the lower left corner.
  public let extent: CGRect

  private let content: Result<Picture, any Error>

  init(_ content: Result<Picture, any Error>, extent: CGRect) {
    self.content = content
    self.extent = extent
  }

  private convenience init(_ picture: Picture, origin: CGPoint) {
    let extent = CGRect(
      x: origin.x, y: origin.y, width: CGFloat(picture.width), height: CGFloat(picture.height))
    self.init(.success(picture), extent: extent)
  }

  /// The pixels, with the size of `extent`.
  ///
  /// - Throws: `ImagingError` if the image is empty or has an unsupported pixel format. Apple's initialisers cannot
  ///   throw, so this property reports their errors.
  public var picture: Picture {
    get throws { try content.get() }
  }

  /// Makes an image from a picture. The lower left corner of the image is at (0, 0).
  public convenience init(_ picture: Picture) {
    self.init(picture, origin: CGPoint(x: 0, y: 0))
  }

  /// Makes an image from a `CGImage`.
  public convenience init(cgImage: CGImage) {
    self.init(
      Result { () throws -> Picture in try cgImage.picture },
      extent: CGRect(x: 0, y: 0, width: CGFloat(cgImage.width), height: CGFloat(cgImage.height)))
  }

  /// Makes an image from a copy of a pixel buffer. Ignores alpha.
  ///
  /// If the buffer's format is not supported, `picture` throws, and a context draws nothing.
  public convenience init(cvPixelBuffer: CVPixelBuffer) {
    let width = CGFloat(CVPixelBufferGetWidth(cvPixelBuffer))
    let height = CGFloat(CVPixelBufferGetHeight(cvPixelBuffer))
    self.init(
      Result { () throws -> Picture in try Picture(cvPixelBuffer) },
      extent: CGRect(x: 0, y: 0, width: width, height: height))
  }

  /// Makes an image from a copy of a pixel buffer. See `init(cvPixelBuffer:)`.
  public convenience init(cvImageBuffer: CVImageBuffer) {
    self.init(cvPixelBuffer: cvImageBuffer)
  }

  /// Makes an image without pixels.
  public static func empty() -> CIImage {
    let error = ImagingError(
      code: .invalidGeometry,
      message: "An image is empty, expected pixels. Check the rectangle of its crop.")
    return CIImage(.failure(error), extent: .null)
  }

  /// Makes an image from a file. Applies the file's orientation only if `applyOrientationProperty` is true. Returns nil
  /// if the file cannot be read.
  public convenience init?(contentsOf url: URL, options: [CIImageOption: Any]? = nil) {
    let applies: Bool = options?[.applyOrientationProperty] as? Bool ?? false
    guard
      let picture = try? Picture(contentsOf: url, orientation: applies ? .applied : .ignored)
    else { return nil }
    self.init(picture)
  }

  /// Makes an image from a file's bytes. Applies the file's orientation only if `applyOrientationProperty` is true.
  /// Returns nil if the bytes are not an image.
  public convenience init?(data: Data, options: [CIImageOption: Any]? = nil) {
    let applies: Bool = options?[.applyOrientationProperty] as? Bool ?? false
    guard let picture = try? Picture(data: data, orientation: applies ? .applied : .ignored) else {
      return nil
    }
    self.init(picture)
  }

  /// Returns the image turned upright, with the lower left corner at (0, 0).
  public func oriented(_ orientation: CGImagePropertyOrientation) -> CIImage {
    let swaps: Bool = orientation.pictureOrientation.swapsSides
    let upright: Result<Picture, any Error> = Result { () throws -> Picture in
      try content.get().oriented(orientation.pictureOrientation)
    }
    let size = CGSize(
      width: swaps ? extent.height : extent.width, height: swaps ? extent.width : extent.height)
    return CIImage(upright, extent: CGRect(origin: CGPoint(x: 0, y: 0), size: size))
  }

  /// Returns the image turned upright. Returns the unchanged image if the number is not 1 to 8.
  ///
  /// - Parameter orientation: The EXIF orientation of the pixels, 1 to 8.
  public func oriented(forExifOrientation orientation: Int32) -> CIImage {
    guard let raw = UInt32(exactly: orientation),
      let known = CGImagePropertyOrientation(rawValue: raw)
    else { return self }
    return oriented(known)
  }

  /// Returns the part of the image inside a rectangle, at the same position in the plane.
  ///
  /// The method enlarges the rectangle to integer pixels. The result is empty if the rectangle and the image have no
  /// pixel in common.
  public func cropped(to rect: CGRect) -> CIImage {
    let part: CGRect = rect.integral.intersection(extent)
    guard !part.isNull, part.width >= 1, part.height >= 1 else { return CIImage.empty() }
    let cropped: Result<Picture, any Error> = Result { () throws -> Picture in
      try content.get().cropped(
        x: Int(part.minX - extent.minX), y: Int(extent.maxY - part.maxY), width: Int(part.width),
        height: Int(part.height))
    }
    return CIImage(cropped, extent: part)
  }

  /// Same as ``transformed(by:)``, which always resamples with high quality.
  public func transformed(by transform: CGAffineTransform, highQualityDownsample: Bool) -> CIImage {
    transformed(by: transform)
  }

  /// Returns the image translated and scaled along the axes. A negative scale mirrors the image. Scaling uses Lanczos
  /// resampling and rounds the size to integer pixels.
  ///
  /// Rotation and shearing are not supported. If the transform rotates or shears, `picture` of the result throws.
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
          message: "An image was transformed with rotation or shearing: expected only translation"
            + " and scaling. Use oriented(_:) to rotate by 90°.")
      }
      var scaled: Picture = try content.get().scaled(toWidth: width, height: height)
      if transform.a < 0 { scaled = try scaled.oriented(.upMirrored) }
      if transform.d < 0 { scaled = try scaled.oriented(.downMirrored) }
      return scaled
    }
    return CIImage(result, extent: extent)
  }
}

/// An option for making an image.
public struct CIImageOption: RawRepresentable, Hashable, Sendable {
  /// The option's name.
  public let rawValue: String

  /// Makes an option from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A Boolean: whether the initialiser applies the EXIF orientation.
  public static let applyOrientationProperty: CIImageOption = CIImageOption(
    rawValue: "CIImageApplyOrientationProperty")
}
