import Foundation

/// The sizes of pictures that a feature takes.
public final class MLImageSizeConstraint: NSObject, Sendable {
  /// How the sizes are given.
  public let type: MLImageSizeConstraintType

  /// The allowed sizes; for a range, its smallest size.
  public let enumeratedImageSizes: [MLImageSize]

  let widths: AllowedLengths
  let heights: AllowedLengths

  init(
    type: MLImageSizeConstraintType, sizes: [MLImageSize], widths: AllowedLengths,
    heights: AllowedLengths
  ) {
    self.type = type
    enumeratedImageSizes = sizes
    self.widths = widths
    self.heights = heights
  }

  /// The allowed widths of a range.
  public var pixelsWideRange: NSRange { widths.range }

  /// The allowed heights of a range.
  public var pixelsHighRange: NSRange { heights.range }

  func allows(width: Int, height: Int) -> Bool {
    if type == .range { return widths.contains(width) && heights.contains(height) }
    return enumeratedImageSizes.contains { $0.pixelsWide == width && $0.pixelsHigh == height }
  }

  /// The sizes in words.
  override public var description: String {
    if type == .range { return "\(widths) × \(heights)" }
    return enumeratedImageSizes.map(\.description).joined(separator: ", ")
  }
}
