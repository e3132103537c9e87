import Graph

/// Reads the values under a shape of the same rank: row-major order stays.
///
/// - Input: a tensor of as many dimensions as the target names.
/// - A target size of 0 keeps the input's; one may be −1: the rest.
///
/// **Source:** `RankPreservingReshapeLayerParams`.
public struct RankPreservingReshapeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "RankPreservingReshape",
    summary: "reads the values under a shape of the same rank")

  /// The sizes; 0 keeps, one may be −1.
  public let targetShape: [Int]

  /// A reshape to the given sizes.
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
