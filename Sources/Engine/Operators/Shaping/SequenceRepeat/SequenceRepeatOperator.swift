import Graph

/// Repeats a whole sequence: `[S, …]` → `[repetitions · S, …]`.
///
/// - Input: rank five or more. The sequence axis is axis −5.
/// - Default: one repetition, if the model states 0 or no number.
///
/// **Source:** `SequenceRepeatLayerParams`.
public struct SequenceRepeatOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SequenceRepeat", summary: "repeats a sequence as a whole")

  /// How often the output contains the sequence; at least 1.
  public let repetitions: Int

  /// Creates an operator that repeats a sequence.
  public init(repetitions: Int) { self.repetitions = repetitions }

  private func counts(_ shape: Shape) -> [Int] {
    var counts = [Int](repeating: 1, count: shape.rank)
    counts[shape.rank - 5] = repetitions
    return counts
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 5)
    return [inputs[0].type.reshaped(to: try tiledShape(shape, counts(shape)))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try tiled(inputs[0], counts(inputs[0].shape))]
  }
}
