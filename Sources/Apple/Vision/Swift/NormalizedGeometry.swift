import CoreGraphics
import Foundation

/// The corner of an image that is the origin of coordinates.
public enum CoordinateOrigin: Sendable, Hashable, Codable {
  /// The lower left corner.
  case lowerLeft
  /// The upper left corner.
  case upperLeft
}

/// A rectangle with coordinates from 0 to 1 and the origin at the lower left.
public struct NormalizedRect: Hashable, Sendable, Codable {
  /// The rectangle as a `CGRect` with the same coordinates.
  public let cgRect: CGRect

  /// Makes a rectangle.
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    cgRect = CGRect(x: x, y: y, width: width, height: height)
  }

  /// Makes a rectangle.
  public init(normalizedRect: CGRect) { cgRect = normalizedRect }

  /// Makes a rectangle from pixels of an image, with the origin at the lower left.
  public init(imageRect: CGRect, in imageSize: CGSize) {
    self.init(imageRect: imageRect, in: imageSize, normalizedTo: .fullImage)
  }

  /// Makes a rectangle in coordinates of a region of interest from pixels of the whole image, with the origin at the
  /// lower left.
  public init(
    imageRect: CGRect, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect
  ) {
    let corner = NormalizedPoint(
      imagePoint: imageRect.origin, in: imageSize, normalizedTo: regionOfInterest)
    self.init(
      x: corner.x, y: corner.y,
      width: imageRect.width / (imageSize.width * regionOfInterest.width),
      height: imageRect.height / (imageSize.height * regionOfInterest.height))
  }

  /// The whole image.
  public static var fullImage: NormalizedRect { NormalizedRect(x: 0, y: 0, width: 1, height: 1) }

  /// The left edge.
  public var x: CGFloat { cgRect.minX }
  /// The lower edge.
  public var y: CGFloat { cgRect.minY }
  /// The width.
  public var width: CGFloat { cgRect.width }
  /// The height.
  public var height: CGFloat { cgRect.height }
  /// The lower left corner.
  public var origin: CGPoint { cgRect.origin }

  /// Returns the rectangle in pixels of an image.
  public func toImageCoordinates(
    _ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGRect {
    toImageCoordinates(from: .fullImage, imageSize: imageSize, origin: origin)
  }

  /// Returns the rectangle, which is normalised to a region of interest, in pixels of the whole image.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGRect {
    let region: NormalizedRect = regionOfInterest
    let height: CGFloat = self.height * region.height
    var bottom: CGFloat = region.y + y * region.height
    if origin == .upperLeft { bottom = 1 - bottom - height }
    return CGRect(
      x: (region.x + x * region.width) * imageSize.width, y: bottom * imageSize.height,
      width: width * region.width * imageSize.width, height: height * imageSize.height)
  }

  /// Converts the rectangle between coordinates with a lower left and an upper left origin.
  public func verticallyFlipped() -> NormalizedRect {
    NormalizedRect(x: x, y: 1 - y - height, width: width, height: height)
  }
}

/// A point with coordinates from 0 to 1 and the origin at the lower left.
public struct NormalizedPoint: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The point as a `CGPoint` with the same coordinates.
  public let cgPoint: CGPoint

  /// Makes a point.
  public init(x: CGFloat, y: CGFloat) { cgPoint = CGPoint(x: x, y: y) }

  /// Makes a point.
  public init(normalizedPoint: CGPoint) { cgPoint = normalizedPoint }

  /// Makes a point from pixels of an image, with the origin at the lower left.
  public init(imagePoint: CGPoint, in imageSize: CGSize) {
    self.init(imagePoint: imagePoint, in: imageSize, normalizedTo: .fullImage)
  }

  /// Makes a point in coordinates of a region of interest from pixels of the whole image, with the origin at the lower
  /// left.
  public init(
    imagePoint: CGPoint, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect
  ) {
    self.init(
      x: (imagePoint.x / imageSize.width - regionOfInterest.x) / regionOfInterest.width,
      y: (imagePoint.y / imageSize.height - regionOfInterest.y) / regionOfInterest.height)
  }

  /// The origin.
  public static var zero: NormalizedPoint { NormalizedPoint(x: 0, y: 0) }

  /// The horizontal coordinate.
  public var x: CGFloat { cgPoint.x }
  /// The vertical coordinate.
  public var y: CGFloat { cgPoint.y }

  /// Returns the point in pixels of an image.
  public func toImageCoordinates(
    _ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGPoint {
    toImageCoordinates(from: .fullImage, imageSize: imageSize, origin: origin)
  }

  /// Returns the point, which is normalised to a region of interest, in pixels of the whole image.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGPoint {
    let bottom: CGFloat = regionOfInterest.y + y * regionOfInterest.height
    return CGPoint(
      x: (regionOfInterest.x + x * regionOfInterest.width) * imageSize.width,
      y: (origin == .lowerLeft ? bottom : 1 - bottom) * imageSize.height)
  }

  /// Converts the point between coordinates with a lower left and an upper left origin.
  public func verticallyFlipped() -> NormalizedPoint { NormalizedPoint(x: x, y: 1 - y) }

  /// The coordinates.
  public var description: String { "(\(x), \(y))" }
}
