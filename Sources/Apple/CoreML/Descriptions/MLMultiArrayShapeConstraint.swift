import Foundation

/// The shapes of multi-arrays that a feature allows.
public final class MLMultiArrayShapeConstraint: NSObject, Sendable {
  /// The form of the constraint: one shape, a list of shapes, or a range of lengths for each axis.
  public let type: MLMultiArrayShapeConstraintType

  let shapes: [[Int]]
  let lengths: [AllowedLengths]

  init(type: MLMultiArrayShapeConstraintType, shapes: [[Int]], lengths: [AllowedLengths]) {
    self.type = type
    self.shapes = shapes
    self.lengths = lengths
  }

  /// The allowed shapes; empty if the constraint is a range of lengths for each axis.
  public var enumeratedShapes: [[NSNumber]] {
    shapes.map { $0.map { NSNumber(value: $0) } }
  }

  /// The allowed lengths of each axis. Each `NSValue` contains an `NSRange`.
  public var sizeRangeForDimension: [NSValue] {
    lengths.map { NSValue(range: $0.range) }
  }

  package func allows(_ shape: [Int]) -> Bool {
    switch type {
    case .range:
      return shape.count == lengths.count && zip(lengths, shape).allSatisfy { $0.contains($1) }
    case .enumerated:
      return shapes.contains(shape)
    case .unspecified:
      return shapes.isEmpty || shapes.contains(shape)
    }
  }

  /// The allowed shapes as text.
  override public var description: String {
    type == .range
      ? lengths.map(\.description).joined(separator: " × ")
      : shapes.map { sentence($0) }.joined(separator: ", or ")
  }
}
