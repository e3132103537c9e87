import Engine
import Operators
import ModelFormat
import Testing

extension Spec.NeuralNetworkLayer {
  fileprivate static var multiply: Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.multiply(Spec.MultiplyLayerParams()))
  }

  fileprivate static func times(_ alpha: Float) -> Spec.NeuralNetworkLayer {
    var message = Spec.MultiplyLayerParams()
    message.alpha = alpha
    return Spec.NeuralNetworkLayer(.multiply(message))
  }

  fileprivate static func plus(_ alpha: Float) -> Spec.NeuralNetworkLayer {
    var message = Spec.AddLayerParams()
    message.alpha = alpha
    return Spec.NeuralNetworkLayer(.add(message))
  }

  fileprivate static func overPixels(_ mode: Spec.ReduceLayerParams.ReduceOperation)
    -> Spec.NeuralNetworkLayer
  {
    var message = Spec.ReduceLayerParams()
    message.mode = mode
    message.axis = .hw
    return Spec.NeuralNetworkLayer(.reduce(message))
  }

  fileprivate static var reciprocalRoot: Spec.NeuralNetworkLayer {
    var message = Spec.UnaryFunctionLayerParams()
    message.type = .rsqrt
    return Spec.NeuralNetworkLayer(.unary(message))
  }
}

/// Tests the pass that recognises a decomposed instance norm. Some multi-style networks write an instance norm as
/// separate operators.
@Suite("Decomposed instance norms")
struct DecomposedNormTests {
  /// Returns the layers of a decomposed instance norm. The mean is the sum over the pixels, multiplied by `share`. γ is
  /// each channel's maximum, and β is each channel's minimum. `swapped` exchanges the inputs of commutative operators.
  private static func layers(share: Float, swapped: Bool = false) -> [Spec.NeuralNetworkLayer] {
    func pair(_ first: String, _ second: String) -> [String] {
      swapped ? [second, first] : [first, second]
    }
    return [
      .overPixels(.max).named("gamma", ["x"], "gamma"),
      .overPixels(.min).named("beta", ["x"], "beta"),
      .overPixels(.sum).named("sum", ["x"], "sum"),
      .times(share).named("mean", ["sum"], "mean"),
      .multiply.named("mean2", ["mean", "mean"], "mean2"),
      .multiply.named("x2", ["x", "x"], "x2"), .overPixels(.sum).named("sum2", ["x2"], "sum2"),
      .times(share).named("average2", ["sum2"], "average2"),
      .linear(-1, 0).named("negated", ["mean2"], "negated"),
      .add.named("variance", pair("average2", "negated"), "variance"),
      .plus(1e-3).named("epsilon", ["variance"], "epsilon"),
      .reciprocalRoot.named("root", ["epsilon"], "root"),
      .multiply.named("factor", pair("root", "gamma"), "factor"),
      .multiply.named("moved", pair("mean", "factor"), "moved"),
      .linear(-1, 0).named("minus", ["moved"], "minus"),
      .add.named("shift", pair("beta", "minus"), "shift"),
      .multiply.named("scaled", pair("x", "factor"), "scaled"),
      .add.named("norm", pair("scaled", "shift"), "norm"), .reLU.named("relu", ["norm"], "y"),
    ]
  }

  private static let input = ReferenceTensor.random([1, 16, 12, 14])

  private func names(_ network: Network) throws -> [String] {
    try network.optimizedGraph(for: [TensorType(Self.input.shape)]).nodes
      .map { $0.operation.name }
  }

  @Test(
    "Passes replace a decomposed norm by one layer and preserve the result",
    arguments: [false, true])
  func recognised(swapped: Bool) throws {
    let test = TestNetwork(
      Self.layers(share: 1 / 168, swapped: swapped), input: [1, 16, 12, 14])
    let network = try test.network()
    #expect(try names(network) == ["Reduce", "Reduce", "BatchNorm"])
    let expected = try test.graph().reference([Self.input])[0]
    #expect(try network.predict(Self.input).relativeDifference(to: expected) < 1e-4)
  }

  @Test("A large mean costs no precision in bfloat16")
  func largeMean() throws {
    let test = TestNetwork(Self.layers(share: 1 / 168), input: [1, 16, 12, 14])
    let shifted = ReferenceTensor(Self.input.shape, Self.input.values.map { $0 + 8 })
    let expected = try test.graph().reference([shifted])[0]
    let network = try test.network(ExecutionOptions(precision: .bfloat16, threads: 2))
    #expect(try network.predict(shifted).relativeDifference(to: expected) < 0.02)
  }

  @Test("At another image size the same layers do not compute a norm, and are not replaced")
  func otherSize() throws {
    let test = TestNetwork(Self.layers(share: 1 / 100), input: [1, 16, 12, 14])
    let network = try test.network()
    #expect(try !names(network).contains("BatchNorm"))
    let expected = try test.graph().reference([Self.input])[0]
    #expect(try network.predict(Self.input).relativeDifference(to: expected) < 1e-4)
  }
}
