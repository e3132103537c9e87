import Graph

/// Mean and variance normalisation of every sample.
///
///     y = (x − mean) / √(variance + ε)
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Output: the input's shape.
/// - Statistics: of each sample, over `H` and `W`, or over `C`, `H` and `W` if ``acrossChannels`` is set. The variance
///   is the biased one. If ``normalizesVariance`` is not set, only the mean is subtracted.
/// - Defaults of the model file: ε = 1e-6 if ε is missing or 0.
///
/// **Source:** `MeanVarianceNormalizeLayerParams`.
public struct MeanVarianceNormalizeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "MeanVarianceNormalize",
    summary: "(x − mean) / √(variance + ε) of every channel or sample")

  /// Whether each sample has one mean and variance over all channels. If false, each channel of a sample has its own.
  public var acrossChannels: Bool
  /// Whether the difference from the mean is divided by the standard deviation.
  public var normalizesVariance: Bool
  /// A small number that is added to the variance.
  public var epsilon: Float

  /// Creates a mean and variance normalisation.
  public init(acrossChannels: Bool, normalizesVariance: Bool, epsilon: Float = 1e-6) {
    self.acrossChannels = acrossChannels
    self.normalizesVariance = normalizesVariance
    self.epsilon = epsilon
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    _ = try FeatureMap(shape)
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let length: Int = acrossChannels ? map.channels * map.area : map.area
    var result: ReferenceTensor = inputs[0]
    guard length > 0 else { return [result] }
    for start in stride(from: 0, to: result.values.count, by: length) {
      let group: ArraySlice<Double> = inputs[0].values[start..<start + length]
      let (mean, variance) = Moments.of(group)
      let deviation: Double = normalizesVariance ? (variance + Double(epsilon)).squareRoot() : 1
      for position in group.indices {
        result.values[position] = (group[position] - mean) / deviation
      }
    }
    return [result]
  }
}
