import Graph
import Glibc

/// Class indices drawn from a categorical distribution.
///
/// - Input: `[…, classes]`, rank one or more: logits, or probabilities `p`, which are used as
///   `log(p + eps)`. Both are divided by the temperature and go through softmax.
/// - Output: `[…, numSamples]`, indices in `0 ..< classes`.
/// - ``seed``: indices follow from it and the input alone; a negative one draws a new seed every run.
/// - Defaults: eps = 1e-10 and temperature = 1 when not set or 0.
///
/// **Source:** `CategoricalDistributionLayerParams`.
public struct CategoricalDistributionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CategoricalDistribution", summary: "class indices drawn by their probabilities")

  /// A negative seed draws other numbers every time.
  public static var isDeterministic: Bool { false }

  /// How many indices are drawn for every distribution.
  public var sampleCount: Int
  /// Whether the input holds logits, or else probabilities.
  public var isLogits: Bool
  /// Added to probabilities.
  public var epsilon: Double
  /// Divides the logits.
  public var temperature: Double
  /// The start of the sequence; negative draws one.
  public var seed: Int64

  /// Draws from the distributions that the input holds.
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
      var reached: Double = 0
      let cumulative: [Double] = logits.map { (logit: Double) -> Double in
        reached += exp(logit - largest)
        return reached
      }
      for _ in 0..<sampleCount {
        let drawn: Double = sequence.unit(result.count) * reached
        result.append(Double(place(of: drawn, in: cumulative)))
      }
    }
    return [ReferenceTensor(shape, result)]
  }

  /// The first class whose cumulative weight is beyond a number.
  private func place(of number: Double, in cumulative: [Double]) -> Int {
    var (low, high) = (0, cumulative.count - 1)
    while low < high {
      let middle: Int = (low + high) / 2
      if number < cumulative[middle] { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
