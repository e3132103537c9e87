/// Columns and rows of a picture.
public struct PictureSize: Sendable, Hashable, CustomStringConvertible {
  /// Columns of pixels.
  public var width: Int
  /// Rows of pixels.
  public var height: Int

  /// A size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The longer side.
  public var longerSide: Int { max(width, height) }

  /// The size of the same shape whose sides are so many times as long, rounded, and each at least `least`.
  public func scaled(by factor: Double, least: Int = 1) -> PictureSize {
    PictureSize(
      width: max(least, Int((Double(width) * factor).rounded())),
      height: max(least, Int((Double(height) * factor).rounded())))
  }

  /// The size of the same shape whose longer side has so many pixels; each side has at least `least`.
  public func scaled(toLongerSide side: Int, least: Int = 1) -> PictureSize {
    scaled(by: Double(side) / Double(longerSide), least: least)
  }

  /// `640 × 480`.
  public var description: String { "\(width) × \(height)" }
}

extension Picture {
  /// Columns and rows.
  public var size: PictureSize { PictureSize(width: width, height: height) }

  /// The picture at another size; see ``scaled(toWidth:height:)``.
  public func scaled(to size: PictureSize) throws -> Picture {
    try scaled(toWidth: size.width, height: size.height)
  }
}
