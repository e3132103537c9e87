import Graph

/// The dot product of two vectors: `y = Σ a[c] · b[c]` over the channels. If ``isCosineSimilarity`` is set, the dot
/// product is divided by the Euclidean lengths of both vectors.
///
/// - Inputs: two tensors `[…, C, 1, 1]`, rank three or more. Their leading dimensions are broadcast.
/// - Output: a tensor whose shape is the broadcast leading dimensions followed by `[1, 1, 1]`.
/// - Edge rules: if a vector has the Euclidean length 0, the cosine is 0.
///
/// **Source:** `DotProductLayerParams` in NeuralNetwork.proto.
public struct DotOperator: Operator {
  /// Whether the dot product is divided by the Euclidean lengths of both vectors.
  public var isCosineSimilarity: Bool

  public static let declaration = OperatorDeclaration(
    "DotProduct", summary: "the dot product or cosine similarity of two vectors")

  /// Creates a dot product, or a cosine similarity if the flag is set.
  public init(isCosineSimilarity: Bool = false) { self.isCosineSimilarity = isCosineSimilarity }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    for (position, input) in inputs.enumerated() {
      let shape = input.shape
      guard shape.rank >= 3, shape[-1] == 1, shape[-2] == 1 else {
        throw EngineError(
          .invalidInput,
          "input \(position + 1) has the shape \(shape), expected rank 3 or more and 1 × 1 at the end."
        )
      }
    }
    let (first, second) = (inputs[0].shape, inputs[1].shape)
    guard first[-3] == second[-3] else {
      throw EngineError(
        .invalidInput,
        "the vectors have \(first[-3]) and \(second[-3]) values, expected equal numbers.")
    }
    var types = try broadcastType(inputs)
    types[0].shape[-3] = 1
    return types
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let products = broadcastReference(inputs) { $0[0] * $0[1] }
    let firstSquares = broadcastReference(inputs) { $0[0] * $0[0] }
    let secondSquares = broadcastReference(inputs) { $0[1] * $0[1] }
    let channels = products.shape[-3]
    var shape = products.shape
    shape[-3] = 1
    var result = ReferenceTensor(shape)
    for row in result.values.indices {
      let range = row * channels..<(row + 1) * channels
      var value: Double = products.values[range].reduce(0, +)
      if isCosineSimilarity {
        let first: Double = firstSquares.values[range].reduce(0, +)
        let second: Double = secondSquares.values[range].reduce(0, +)
        let lengths: Double = (first * second).squareRoot()
        value = lengths == 0 ? 0 : value / lengths
      }
      result.values[row] = value
    }
    return [result]
  }

}
