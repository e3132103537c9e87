import Graph

/// Chooses between two tensors element by element: `y = condition ≠ 0 ? a : b`, like `numpy.where`.
///
/// - Inputs: condition, a, b, broadcast against each other as in NumPy.
/// - Output: the shape to which all three inputs broadcast.
///
/// **Source:** `WhereBroadcastableLayerParams`.
public struct WhereBroadcastableOperator: BroadcastingOperator, MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "WhereBroadcastable", summary: "chooses between two tensors element by element")

  /// Creates an elementwise choice.
  public init() {}

  private func shape(_ inputs: [Shape]) throws -> Shape {
    guard let pair = Shape.broadcast(inputs[0], inputs[1]),
      let all = Shape.broadcast(pair, inputs[2])
    else {
      throw EngineError(
        .invalidInput,
        "the inputs (\(inputs[0]), \(inputs[1]) and \(inputs[2])) do not broadcast: sizes must agree or be 1, counted from the last."
      )
    }
    return all
  }

  /// Returns false for the first input, which is the condition.
  public func moves(input: Int) -> Bool { input > 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[1].type.reshaped(to: try shape(inputs.map(\.shape)))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let shape: Shape = try shape(inputs.map(\.shape))
    let all: [ReferenceTensor] = inputs.map { stretched($0, to: shape) }
    return [
      ReferenceTensor(
        shape,
        shape.count == 0
          ? []
          : (0..<shape.count).map { position -> Double in
            all[all[0].values[position] != 0 ? 1 : 2].values[position]
          })
    ]
  }
}
