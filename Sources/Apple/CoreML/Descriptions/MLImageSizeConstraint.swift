import Foundation

/// The image sizes that a feature allows.
public final class MLImageSizeConstraint: NSObject, Sendable {
  /// The form of the constraint: one size, a list of sizes, or ranges of widths and heights.
  public let type: MLImageSizeConstraintType

  /// The allowed sizes. If the constraint is a range, the array holds only the size that the model declares.
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

  /// The allowed widths, in pixels.
  public var pixelsWideRange: NSRange { widths.range }

  /// The allowed heights, in pixels.
  public var pixelsHighRange: NSRange { heights.range }

  func allows(width: Int, height: Int) -> Bool {
    if type == .range { return widths.contains(width) && heights.contains(height) }
    return enumeratedImageSizes.contains { $0.pixelsWide == width && $0.pixelsHigh == height }
  }

  /// The allowed sizes as text.
  override public var description: String {
    if type == .range { return "\(widths) × \(heights)" }
    return enumeratedImageSizes.map(\.description).joined(separator: ", ")
  }
}
