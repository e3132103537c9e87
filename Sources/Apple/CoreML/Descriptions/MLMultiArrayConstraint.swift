import Foundation

/// The multi-arrays that a feature allows.
public final class MLMultiArrayConstraint: NSObject, Sendable {
  /// The element type that the model declares.
  public let dataType: MLMultiArrayDataType

  /// The allowed shapes.
  public let shapeConstraint: MLMultiArrayShapeConstraint

  let dimensions: [Int]

  init(
    dimensions: [Int], dataType: MLMultiArrayDataType,
    shapeConstraint: MLMultiArrayShapeConstraint
  ) {
    self.dimensions = dimensions
    self.dataType = dataType
    self.shapeConstraint = shapeConstraint
  }

  /// The shape that the model declares.
  public var shape: [NSNumber] { dimensions.map { NSNumber(value: $0) } }

  /// Returns whether the feature allows a shape. Also allows a shape that begins with additional axes of length 1, if
  /// the feature allows the shape without these axes.
  func allows(_ shape: [Int]) -> Bool {
    if shapeConstraint.allows(shape) { return true }
    let ranges: Int = shapeConstraint.lengths.count
    let rank: Int = ranges == 0 ? dimensions.count : ranges
    let extra: Int = shape.count - rank
    guard extra > 0, shape.prefix(extra).allSatisfy({ $0 == 1 }) else { return false }
    return shapeConstraint.allows(Array(shape.dropFirst(extra)))
  }

  /// The element type and the declared shape.
  override public var description: String {
    "MultiArray (\(dataType.sentenceName), \(sentence(dimensions)))"
  }
}
