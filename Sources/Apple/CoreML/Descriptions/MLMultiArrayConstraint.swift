import Foundation

/// What arrays a feature takes or gives.
public final class MLMultiArrayConstraint: NSObject, Sendable {
  /// The type of the elements that the model declares.
  public let dataType: MLMultiArrayDataType

  /// The shapes that are allowed.
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

  /// True for an allowed shape, also with further axes of length 1 in front.
  func allows(_ shape: [Int]) -> Bool {
    if shapeConstraint.allows(shape) { return true }
    let ranges: Int = shapeConstraint.lengths.count
    let rank: Int = ranges == 0 ? dimensions.count : ranges
    let extra: Int = shape.count - rank
    guard extra > 0, shape.prefix(extra).allSatisfy({ $0 == 1 }) else { return false }
    return shapeConstraint.allows(Array(shape.dropFirst(extra)))
  }

  /// Type and shape in words.
  override public var description: String {
    "MultiArray (\(dataType.sentenceName), \(sentence(dimensions)))"
  }
}
