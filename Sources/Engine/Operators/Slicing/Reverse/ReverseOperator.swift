import Graph

/// Reverses axes: `y[i] = x[extent − 1 − i]`, like `numpy.flip`.
///
/// - Input: a tensor with as many dimensions as ``isReversed`` has elements.
///
/// **Source:** `ReverseLayerParams`.
public struct ReverseOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Reverse", summary: "reverses axes")

  /// For each axis, whether the operator reverses it.
  public let isReversed: [Bool]

  /// Creates an operator that reverses the axes for which `isReversed` is true.
  public init(isReversed: [Bool]) { self.isReversed = isReversed }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs[0].shape.rank == isReversed.count else {
      throw EngineError(
        .invalidInput,
        "reverseDim names \(isReversed.count) axes, but the input has \(inputs[0].shape.rank) dimensions (\(inputs[0].shape))."
      )
    }
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    return [
      ReferenceTensor(input.shape) { index in
        input[index.indices.map { isReversed[$0] ? input.shape[$0] - 1 - index[$0] : index[$0] }]
      }
    ]
  }
}
