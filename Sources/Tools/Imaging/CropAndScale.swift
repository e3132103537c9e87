/// How a picture of one shape becomes one of another.
public enum CropAndScale: String, Sendable, CaseIterable {
  /// Scaled until it covers the size, then cut to its middle.
  case centerCrop
  /// Scaled until it fits inside the size, centred on black.
  case scaleFit
  /// Stretched to the size.
  case scaleFill
  /// Turned by 90° counter-clockwise, then as `scaleFit`.
  case scaleFitRotate90CCW
  /// Turned by 90° counter-clockwise, then as `scaleFill`.
  case scaleFillRotate90CCW

  /// Whether the picture is turned by 90° counter-clockwise.
  public var rotates: Bool { self == .scaleFitRotate90CCW || self == .scaleFillRotate90CCW }
}

/// A rectangle of whole pixels; the origin is the top left corner of the picture.
public struct PixelRegion: Sendable, Hashable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// How many columns.
  public var width: Int
  /// How many rows.
  public var height: Int

  /// A rectangle.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Where the rectangle lies in the stored pixels of a picture that is shown turned.
  ///
  /// - Parameters:
  ///   - width: Columns of the picture as shown.
  ///   - height: Rows of the picture as shown.
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
