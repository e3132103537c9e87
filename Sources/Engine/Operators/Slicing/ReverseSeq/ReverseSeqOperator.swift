import Graph

/// Reverses the first `lengths[b]` elements of the sequence of each batch entry `b`:
/// `y[b, t] = x[b, lengths[b] − 1 − t]` for `t < lengths[b]`. Later elements stay: `y[b, t] = x[b, t]`.
///
/// - Inputs: any tensor of rank two or more, and a vector with one length per batch entry. No length exceeds the extent
///   of the sequence axis.
/// - The batch axis and the sequence axis must differ. Negative axes count from the end.
///
/// **Source:** `ReverseSeqLayerParams`.
public struct ReverseSeqOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReverseSeq", summary: "reverses the first elements of each sequence")

  /// The axis of the batch; a negative one counts from the end.
  public let batchAxis: Int
  /// The axis of the sequence; a negative one counts from the end.
  public let sequenceAxis: Int

  /// Creates a reversal along `sequenceAxis`, with one length per entry of `batchAxis`.
  public init(batchAxis: Int, sequenceAxis: Int) {
    self.batchAxis = batchAxis
    self.sequenceAxis = sequenceAxis
  }

  /// Returns both axes as non-negative indices. Throws if the input lacks an axis, or if the number of lengths is not
  /// the number of batch entries.
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

  /// Returns true only for the first input. The second input holds the lengths.
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

  /// Returns the error for a length that is out of range.
  package static func badLength(_ length: Int, _ extent: Int) -> EngineError {
    EngineError(
      .invalidInput, "a length is \(length), expected 0 to \(extent), the sequence's.")
  }
}
