/// The form of an image size constraint. Raw values are Apple's.
public enum MLImageSizeConstraintType: Int, Sendable, Hashable {
  /// One size.
  case unspecified = 0
  /// A list of sizes.
  case enumerated = 2
  /// A range of widths and a range of heights.
  case range = 3
}
