import Graph
import ModelFormat
import NeuralNetworkFormat

/// One case of a layer for the conformance tests: the message as a model would hold it, inputs, and
/// what must come out or be said.
public struct OperatorSample: Sendable {
  /// How an input is filled.
  public enum Fill: Sendable {
    /// Uniform in the range, from the sample's seed.
    case uniform(ClosedRange<Double>)
    /// Whole numbers in the range, from the sample's seed.
    case integers(ClosedRange<Int>)
    /// These values, row-major.
    case values([Double])
  }

  /// How close a fast kernel must come to the reference.
  public enum Tolerance: Sendable {
    /// Values are moved, not computed: every bit agrees.
    case exact
    /// A few roundings of `float32`.
    case rounding
    /// Long sums or approximated functions.
    case accumulation

    /// The largest difference allowed in `float32`, relative to the largest magnitude in the output.
    public var relative: Double {
      switch self {
      case .exact: return 0
      case .rounding: return 2e-6
      case .accumulation: return 2e-5
      }
    }
  }

  /// What the case is about, a few words.
  public var name: String
  /// The layer as a model holds it.
  public var layer: Spec.NeuralNetworkLayer
  /// The layer itself, where no message makes it: layers that passes and gradients add.
  public var derived: (any Operator)?
  /// How the network maps arrays.
  public var mapping: ArrayMapping
  /// Shapes and fillings of the inputs.
  public var inputs: [(shape: Shape, fill: Fill)]
  /// Shapes and fillings of constants that a derived operator reads after its inputs.
  public var constants: [(shape: Shape, fill: Fill)] = []
  /// Answers known from elsewhere (by hand, NumPy, ONNX Runtime), compared to the reference.
  public var expected: [ReferenceTensor]?
  /// For a bad case: a part of the sentence that must be thrown.
  public var failure: String?
  /// How close fast kernels must come.
  public var tolerance: Tolerance

  /// A case. The layer gets inputs and outputs named after their position when it has none.
  public init(
    _ name: String, _ layer: Spec.NeuralNetworkLayer, mapping: ArrayMapping = .exact,
    inputs: [Shape], fill: Fill = .uniform(-1...1), expected: [ReferenceTensor]? = nil,
    failure: String? = nil, tolerance: Tolerance = .rounding
  ) {
    self.init(
      name, layer, mapping: mapping, inputs: inputs.map { ($0, fill) }, expected: expected,
      failure: failure, tolerance: tolerance)
  }

  /// A case whose inputs are filled each in its own way.
  public init(
    _ name: String, _ layer: Spec.NeuralNetworkLayer, mapping: ArrayMapping = .exact,
    inputs: [(Shape, Fill)], expected: [ReferenceTensor]? = nil, failure: String? = nil,
    tolerance: Tolerance = .rounding
  ) {
    self.name = name
    self.layer = layer
    self.mapping = mapping
    self.inputs = inputs.map { (shape: $0.0, fill: $0.1) }
    self.expected = expected
    self.failure = failure
    self.tolerance = tolerance
    if layer.input.isEmpty { self.layer.input = inputs.indices.map { "input\($0)" } }
    if layer.output.isEmpty { self.layer.output = ["output0"] }
    if layer.name.isEmpty { self.layer.name = "sample" }
  }
}

extension OperatorSample {
  /// A case of a layer that no message makes.
  public init(
    _ name: String, derived: any Operator, inputs: [(Shape, Fill)],
    constants: [(Shape, Fill)] = [], outputs: Int = 1, expected: [ReferenceTensor]? = nil,
    failure: String? = nil, tolerance: Tolerance = .rounding
  ) {
    var message = Spec.NeuralNetworkLayer()
    message.output = (0..<outputs).map { "output\($0)" }
    self.init(
      name, message, inputs: inputs, expected: expected, failure: failure, tolerance: tolerance)
    self.derived = derived
    self.constants = constants.map { (shape: $0.0, fill: $0.1) }
  }
}

extension Spec.WeightParams {
  /// Pseudo-random weights in −0.5…0.5, the same for the same count and seed.
  public static func random(_ count: Int, seed: UInt64 = 1) -> Spec.WeightParams {
    var generator = SampleGenerator(seed: seed)
    return Spec.WeightParams((0..<count).map { _ in Float(generator.uniform(-0.5...0.5)) })
  }
}
