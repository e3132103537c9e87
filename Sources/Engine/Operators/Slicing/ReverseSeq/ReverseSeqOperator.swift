import Graph

/// Turns around the first elements of each sequence of a batch: `y[b, t] = x[b, lengths[b] − 1 − t]`
/// for `t < lengths[b]`, and `x[b, t]` after that.
///
/// - Inputs: any tensor of rank two or more, and a length per element of the batch, none longer than the
///   sequence.
/// - Both axes may count from the end; they must differ.
///
/// **Source:** `ReverseSeqLayerParams`.
public struct ReverseSeqOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReverseSeq", summary: "turns around the first elements of each sequence")

  /// The axis of the batch.
  public let batchAxis: Int
  /// The axis of the sequence.
  public let sequenceAxis: Int

  /// The two axes.
  public init(batchAxis: Int, sequenceAxis: Int) {
    self.batchAxis = batchAxis
    self.sequenceAxis = sequenceAxis
  }

  /// The two axes, counted from the first; throws where they or the lengths do not fit.
  package func axes(_ input: Shape, _ lengths: Shape) throws -> (batch: Int, sequence: Int) {
    let batch: Int = try input.axis(batchAxis, "batchAxis")
    let sequence: Int = try input.axis(sequenceAxis, "sequenceAxis")
    guard batch != sequence else {
      throw EngineError(
        .invalidInput, "batchAxis and sequenceAxis are both \(batch), expected different axes.")
    }
    guard lengths.count == input[batch] else {
      throw EngineError(
        .invalidInput,
        "\(lengths.count) lengths are given, but the batch axis of the input (\(input)) has \(input[batch])."
      )
    }
    return (batch, sequence)
  }

  /// The second input holds lengths.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try axes(inputs[0].shape, inputs[1].shape)
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let (batch, sequence) = try axes(input.shape, inputs[1].shape)
    let lengths: [Int] = inputs[1].integers
    if let length = lengths.first(where: { !(0...input.shape[sequence]).contains($0) }) {
      throw Self.badLength(length, input.shape[sequence])
    }
    return [
      ReferenceTensor(input.shape) { index in
        var source = index
        let length: Int = lengths[index[batch]]
        if index[sequence] < length { source[sequence] = length - 1 - index[sequence] }
        return input[source]
      }
    ]
  }

  /// The error for a length that no sequence has.
  package static func badLength(_ length: Int, _ extent: Int) -> EngineError {
    EngineError(
      .invalidInput, "a length is \(length), expected 0 to \(extent), the sequence's.")
  }
}
