import Graph

/// Turns axes around: `y[i] = x[extent − 1 − i]`, as `numpy.flip`.
///
/// - Input: a tensor of as many dimensions as there are flags.
///
/// **Source:** `ReverseLayerParams`.
public struct ReverseOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Reverse", summary: "turns axes around")

  /// Which axes are turned around.
  public let isReversed: [Bool]

  /// A flag per axis.
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
