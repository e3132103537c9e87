import Foundation

/// The shapes of arrays that a feature takes.
public final class MLMultiArrayShapeConstraint: NSObject, Sendable {
  /// How the shapes are given.
  public let type: MLMultiArrayShapeConstraintType

  let shapes: [[Int]]
  let lengths: [AllowedLengths]

  init(type: MLMultiArrayShapeConstraintType, shapes: [[Int]], lengths: [AllowedLengths]) {
    self.type = type
    self.shapes = shapes
    self.lengths = lengths
  }

  /// The allowed shapes; for a range, none.
  public var enumeratedShapes: [[NSNumber]] {
    shapes.map { $0.map { NSNumber(value: $0) } }
  }

  /// For each axis, its allowed lengths as an `NSRange` in an `NSValue`.
  public var sizeRangeForDimension: [NSValue] {
    lengths.map { NSValue(range: $0.range) }
  }

  func allows(_ shape: [Int]) -> Bool {
    switch type {
    case .range:
      return shape.count == lengths.count && zip(lengths, shape).allSatisfy { $0.contains($1) }
    case .enumerated:
      return shapes.contains(shape)
    case .unspecified:
      return shapes.isEmpty || shapes.contains(shape)
    }
  }

  /// The shapes in words.
  override public var description: String {
    type == .range
      ? lengths.map(\.description).joined(separator: " × ")
      : shapes.map { sentence($0) }.joined(separator: ", or ")
  }
}
