/// How a picture is fitted to another size and aspect ratio.
public enum CropAndScale: String, Sendable, CaseIterable {
  /// Scales the picture until it covers the size, then crops it to its centre.
  case centerCrop
  /// Scales the picture until it fits inside the size, and centres it on black.
  case scaleFit
  /// Stretches the picture to the size.
  case scaleFill
  /// Rotates the picture by 90° counter-clockwise, then does what `scaleFit` does.
  case scaleFitRotate90CCW
  /// Rotates the picture by 90° counter-clockwise, then does what `scaleFill` does.
  case scaleFillRotate90CCW

  /// Whether the picture is rotated by 90° counter-clockwise.
  public var rotates: Bool { self == .scaleFitRotate90CCW || self == .scaleFillRotate90CCW }
}

/// A rectangle in pixels. The origin is the top left corner of the picture.
public struct PixelRegion: Sendable, Hashable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a rectangle.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Converts this rectangle from coordinates of the picture as shown to coordinates of the stored pixels.
  ///
  /// - Parameters:
  ///   - width: The number of columns of the picture as shown.
  ///   - height: The number of rows of the picture as shown.
  func inStoredPixels(of orientation: Orientation, width: Int, height: Int) -> PixelRegion {
    let fromRight: Int = width - x - self.width
    let fromBottom: Int = height - y - self.height
    let wide: Int = self.width
    let high: Int = self.height
    switch orientation {
    case .up: return self
    case .upMirrored: return PixelRegion(x: fromRight, y: y, width: wide, height: high)
    case .down: return PixelRegion(x: fromRight, y: fromBottom, width: wide, height: high)
    case .downMirrored: return PixelRegion(x: x, y: fromBottom, width: wide, height: high)
    case .leftMirrored: return PixelRegion(x: y, y: x, width: high, height: wide)
    case .right: return PixelRegion(x: y, y: fromRight, width: high, height: wide)
    case .rightMirrored: return PixelRegion(x: fromBottom, y: fromRight, width: high, height: wide)
    case .left: return PixelRegion(x: fromBottom, y: x, width: high, height: wide)
    }
  }
}
