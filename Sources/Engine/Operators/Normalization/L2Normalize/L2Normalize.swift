import Graph

/// L2 normalisation: divides every sample by its Euclidean length.
///
///     y = x / √(Σ x² + ε)
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch. The sum is over `C`, `H` and `W`.
/// - Output: the input's shape.
/// - Defaults of the model file: ε = 1e-6 if ε is missing or 0.
///
/// **Source:** `L2NormalizeLayerParams`.
public struct L2NormalizeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "L2Normalize", summary: "x / √(Σ x² + ε) of every sample")

  /// A small number that is added to the sum of squares.
  public var epsilon: Float

  /// Creates an L2 normalisation.
  public init(epsilon: Float = 1e-6) { self.epsilon = epsilon }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    _ = try FeatureMap(shape)
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let length: Int = map.channels * map.area
    var result: ReferenceTensor = inputs[0]
    guard length > 0 else { return [result] }
    for start in stride(from: 0, to: result.values.count, by: length) {
      let sample: ArraySlice<Double> = inputs[0].values[start..<start + length]
      var squares: Double = 0
      for value in sample { squares += value * value }
      let norm: Double = (squares + Double(epsilon)).squareRoot()
      for position in sample.indices { result.values[position] = sample[position] / norm }
    }
    return [result]
  }
}
