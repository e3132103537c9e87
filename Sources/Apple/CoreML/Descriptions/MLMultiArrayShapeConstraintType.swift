/// The form of a shape constraint. Raw values are Apple's.
public enum MLMultiArrayShapeConstraintType: Int, Sendable, Hashable {
  /// One shape.
  case unspecified = 1
  /// A list of shapes.
  case enumerated = 2
  /// A range of lengths for each axis.
  case range = 3
}
