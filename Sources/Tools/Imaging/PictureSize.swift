/// The width and height of a picture in pixels.
public struct PictureSize: Sendable, Hashable, CustomStringConvertible {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The longer side, in pixels.
  public var longerSide: Int { max(width, height) }

  /// Multiplies both sides by a factor, rounds them, and raises them to at least `least`.
  public func scaled(by factor: Double, least: Int = 1) -> PictureSize {
    PictureSize(
      width: max(least, Int((Double(width) * factor).rounded())),
      height: max(least, Int((Double(height) * factor).rounded())))
  }

  /// Scales the size so that the longer side is `side`. Each side is at least `least`.
  public func scaled(toLongerSide side: Int, least: Int = 1) -> PictureSize {
    scaled(by: Double(side) / Double(longerSide), least: least)
  }

  /// The size in words, such as `640 × 480`.
  public var description: String { "\(width) × \(height)" }
}

extension Picture {
  /// The width and height in pixels.
  public var size: PictureSize { PictureSize(width: width, height: height) }

  /// Scales the picture to another size. See ``scaled(toWidth:height:)``.
  public func scaled(to size: PictureSize) throws -> Picture {
    try scaled(toWidth: size.width, height: size.height)
  }
}
