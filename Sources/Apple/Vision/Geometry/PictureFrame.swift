import CoreGraphics
import Imaging

/// The size of the upright region of interest, and the conversion of its pixels to normalised coordinates.
struct PictureFrame {
  private let width: CGFloat
  private let height: CGFloat

  init(_ picture: Picture) {
    (width, height) = (CGFloat(picture.width), CGFloat(picture.height))
  }

  /// Converts a point from pixels with the origin at the top left to fractions with the origin at the lower left.
  func normalized(_ point: CGPoint) -> CGPoint {
    CGPoint(x: point.x / width, y: 1 - point.y / height)
  }

  /// Converts a rectangle from pixels with the origin at the top left to fractions with the origin at the lower left.
  func normalized(_ rect: CGRect) -> CGRect {
    CGRect(
      x: rect.minX / width, y: 1 - rect.maxY / height, width: rect.width / width,
      height: rect.height / height)
  }

  /// Converts a rectangle from fractions with the origin at the lower left to pixels with the origin at the top left.
  func pixels(_ rect: CGRect) -> CGRect {
    CGRect(
      x: rect.minX * width, y: (1 - rect.maxY) * height, width: rect.width * width,
      height: rect.height * height)
  }
}
