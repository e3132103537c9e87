import Graph
import Glibc

/// Draws class indices from a categorical distribution.
///
/// - Input: `[…, classes]`, rank one or more: logits, or probabilities `p`, which are converted to logits by
///   `log(p + eps)`. The operator divides logits by the temperature and then applies a softmax, which gives the
///   probabilities of the classes.
/// - Output: `[…, numSamples]`, indices in `0 ..< classes`.
/// - ``seed``: the indices depend only on the seed and the input. If the seed is negative, every run uses a new random
///   seed.
/// - Defaults of the model file: eps is 1e-10 and temperature is 1 if the file does not set them or sets them to 0.
///
/// **Source:** `CategoricalDistributionLayerParams`.
public struct CategoricalDistributionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CategoricalDistribution", summary: "class indices drawn by their probabilities")

  /// False, because an operator with a negative seed draws different numbers in every run.
  public static var isDeterministic: Bool { false }

  /// The number of indices that are drawn from each distribution.
  public var sampleCount: Int
  /// Whether the input holds logits; otherwise it holds probabilities.
  public var isLogits: Bool
  /// A small number that is added to probabilities.
  public var epsilon: Double
  /// The number by which logits are divided.
  public var temperature: Double
  /// The seed of the random numbers. If the seed is negative, every run uses a new random seed.
  public var seed: Int64

  /// Creates an operator that draws class indices from the distributions in the input.
  public init(
    sampleCount: Int, isLogits: Bool, epsilon: Double = 1e-10, temperature: Double = 1, seed: Int64
  ) {
    self.sampleCount = sampleCount
    self.isLogits = isLogits
    self.epsilon = epsilon
    self.temperature = temperature
    self.seed = seed
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = try OperatorInput.only(inputs).shape
    guard shape.rank >= 1, shape[-1] > 0 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected one class or more in its last dimension.")
    }
    shape[-1] = sampleCount
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var shape: Shape = inputs[0].shape
    let classes: Int = shape[-1]
    shape[-1] = sampleCount
    let sequence = RandomSequence(seed: seed)
    var result: [Double] = []
    for start in stride(from: 0, to: inputs[0].values.count, by: classes) {
      let logits: [Double] = inputs[0].values[start..<start + classes].map {
        (isLogits ? $0 : log($0 + epsilon)) / temperature
      }
      let largest: Double = logits.max() ?? 0
      var total: Double = 0
      let cumulative: [Double] = logits.map { (logit: Double) -> Double in
        total += exp(logit - largest)
        return total
      }
      for _ in 0..<sampleCount {
        let drawn: Double = sequence.unit(result.count) * total
        result.append(Double(classIndex(of: drawn, in: cumulative)))
      }
    }
    return [ReferenceTensor(shape, result)]
  }

  /// Returns the index of the first class whose cumulative weight exceeds a number.
  private func classIndex(of number: Double, in cumulative: [Double]) -> Int {
    var (low, high) = (0, cumulative.count - 1)
    while low < high {
      let middle: Int = (low + high) / 2
      if number < cumulative[middle] { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
