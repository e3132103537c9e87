import Graph
import ModelFormat
import NeuralNetworkFormat

/// One case of a layer for the conformance tests. It has the layer's message as in a model, the inputs, and the
/// expected outputs or error.
public struct OperatorSample: Sendable {
  /// The contents of an input.
  public enum Fill: Sendable {
    /// Random numbers with a uniform distribution in the range. The sample's seed determines them.
    case uniform(ClosedRange<Double>)
    /// Random integers in the range. The sample's seed determines them.
    case integers(ClosedRange<Int>)
    /// These values, in row-major order.
    case values([Double])
  }

  /// The largest allowed difference between a fast kernel and the reference implementation.
  public enum Tolerance: Sendable {
    /// Every bit must be equal, because the operator moves values and does not compute.
    case exact
    /// The difference that a few roundings in `float32` cause.
    case rounding
    /// The difference that long sums or approximated functions cause.
    case accumulation

    /// The largest allowed difference in `float32`, divided by the largest magnitude in the output.
    public var relative: Double {
      switch self {
      case .exact: return 0
      case .rounding: return 2e-6
      case .accumulation: return 2e-5
      }
    }
  }

  /// A short description of the case.
  public var name: String
  /// The layer's message, as in a model.
  public var layer: Spec.NeuralNetworkLayer
  /// The operator itself, if no message describes it. Passes and gradients add such operators to graphs.
  public var derived: (any Operator)?
  /// The network's array mapping.
  public var mapping: ArrayMapping
  /// The shape and the contents of each input.
  public var inputs: [(shape: Shape, fill: Fill)]
  /// The shape and the contents of each constant that a derived operator reads after its inputs.
  public var constants: [(shape: Shape, fill: Fill)] = []
  /// Answers from an independent source (by hand, NumPy, ONNX Runtime). Tests compare the reference implementation with
  /// them.
  public var expected: [ReferenceTensor]?
  /// For an invalid case: a part of the expected error message.
  public var failure: String?
  /// The tolerance of fast kernels.
  public var tolerance: Tolerance

  /// Creates a sample whose inputs all have the same kind of contents. If the layer states no names for inputs and
  /// outputs, their positions become their names.
  public init(
    _ name: String, _ layer: Spec.NeuralNetworkLayer, mapping: ArrayMapping = .exact,
    inputs: [Shape], fill: Fill = .uniform(-1...1), expected: [ReferenceTensor]? = nil,
    failure: String? = nil, tolerance: Tolerance = .rounding
  ) {
    self.init(
      name, layer, mapping: mapping, inputs: inputs.map { ($0, fill) }, expected: expected,
      failure: failure, tolerance: tolerance)
  }

  /// Creates a sample in which each input has its own contents.
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
  /// Creates a sample of an operator that no message describes.
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
  /// Returns pseudo-random weights in −0.5…0.5. The same count and the same seed always give the same weights.
  public static func random(_ count: Int, seed: UInt64 = 1) -> Spec.WeightParams {
    var generator = SplitMix64(seed: seed)
    return Spec.WeightParams((0..<count).map { _ in Float(generator.uniform(-0.5...0.5)) })
  }
}
