import Graph

/// Gives a tensor another shape of the same rank, with the values in the same row-major order.
///
/// - Input: a tensor with as many dimensions as the target.
/// - A target size of 0 keeps the input's extent at the same index. One size may be −1. The operator computes it from
///   the other sizes.
///
/// **Source:** `RankPreservingReshapeLayerParams`.
public struct RankPreservingReshapeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "RankPreservingReshape",
    summary: "reads the values as a shape of the same rank")

  /// The target sizes. 0 keeps the input's extent, and one size may be −1.
  public let targetShape: [Int]

  /// Creates a reshape to these sizes.
  public init(targetShape: [Int]) { self.targetShape = targetShape }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    guard input.rank == targetShape.count else {
      throw EngineError(
        .invalidInput,
        "the target shape names \(targetShape.count) sizes, but the input has \(input.rank) dimensions (\(input))."
      )
    }
    let shape: Shape = try reshapedShape(input, to: targetShape, zeroKeeps: true)
    return [inputs[0].type.reshaped(to: shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try reshapedShape(inputs[0].shape, to: targetShape, zeroKeeps: true))]
  }
}
