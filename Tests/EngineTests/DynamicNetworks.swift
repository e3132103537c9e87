import Engine
import Operators
import ModelFormat

/// A network for tests of control flow and data-dependent shapes.
struct DynamicNetwork {
  private var test: TestNetwork

  /// Builds a network from named input arrays to named output arrays. Every array keeps the rank that the description
  /// states (exact array mapping).
  init(
    _ layers: [Spec.NeuralNetworkLayer], inputs: [(String, [Int64])], outputs: [String] = ["y"]
  ) {
    test = TestNetwork(layers, input: [])
    test.description.input = inputs.map { TestNetwork.array($0.0, $0.1) }
    test.description.output = outputs.map { TestNetwork.array($0, []) }
  }

  /// Compiles the network with a loop limit and optionally a memory limit.
  func network(loopLimit: Int = 1000, memoryLimit: Int? = nil) throws -> Network {
    try network(ExecutionOptions(threads: 2, memoryLimit: memoryLimit, loopLimit: loopLimit))
  }

  func network(_ options: ExecutionOptions) throws -> Network { try test.network(options) }
}

extension Network {
  /// Returns whether, for inputs of these shapes, the complete network is planned before the run. Otherwise its plan
  /// has several segments, or a segment that is planned during the run.
  func isPlanned(_ shapes: [Shape]) throws -> Bool {
    let segments = try plan(for: shapes.map { TensorType($0) }).plan.segments
    if case .run? = segments.first, segments.count == 1 { return true }
    return false
  }
}

extension ReferenceTensor {
  static func vector(_ values: Double...) -> ReferenceTensor {
    ReferenceTensor([values.count], values)
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates a layer of any type with its name, inputs and outputs.
  static func of(_ kind: OneOfLayer, _ name: String, _ inputs: [String], _ outputs: [String])
    -> Spec.NeuralNetworkLayer
  {
    var layer = Spec.NeuralNetworkLayer(kind)
    (layer.name, layer.input, layer.output) = (name, inputs, outputs)
    return layer
  }

  static func copy(_ input: String, _ output: String) -> Spec.NeuralNetworkLayer {
    .of(.copy(Spec.CopyLayerParams()), "copy \(input)", [input], [output])
  }

  static var breaking: Spec.NeuralNetworkLayer {
    .of(.loopBreak(Spec.LoopBreakLayerParams()), "break", [], [])
  }

  static var continuing: Spec.NeuralNetworkLayer {
    .of(.loopContinue(Spec.LoopContinueLayerParams()), "continue", [], [])
  }

  static func sum(_ inputs: [String], _ output: String) -> Spec.NeuralNetworkLayer {
    .of(.addBroadcastable(Spec.AddBroadcastableLayerParams()), output, inputs, [output])
  }

  static func product(_ inputs: [String], _ output: String) -> Spec.NeuralNetworkLayer {
    .of(.multiplyBroadcastable(Spec.MultiplyBroadcastableLayerParams()), output, inputs, [output])
  }

  static func less(_ input: String, than limit: Float, _ output: String) -> Spec.NeuralNetworkLayer
  {
    var message = Spec.LessThanLayerParams()
    message.alpha = limit
    return .of(.lessThan(message), output, [input], [output])
  }

  static func equal(_ input: String, to value: Float, _ output: String) -> Spec.NeuralNetworkLayer {
    var message = Spec.EqualLayerParams()
    message.alpha = value
    return .of(.equal(message), output, [input], [output])
  }

  static func constant(_ values: [Float], _ output: String) -> Spec.NeuralNetworkLayer {
    var message = Spec.LoadConstantNDLayerParams()
    message.shape = [UInt64(values.count)]
    message.data = Spec.WeightParams(values)
    return .of(.loadConstantND(message), output, [], [output])
  }

  static func branch(
    _ condition: String, _ then: [Spec.NeuralNetworkLayer],
    otherwise: [Spec.NeuralNetworkLayer]? = nil
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.BranchLayerParams()
    message.ifBranch = network(then)
    message.elseBranch = otherwise.map(network)
    return .of(.branch(message), "branch on \(condition)", [condition], [])
  }

  static func loop(
    _ iterations: UInt64 = 0, count: String? = nil,
    while condition: (name: String, layers: [Spec.NeuralNetworkLayer])? = nil,
    _ body: [Spec.NeuralNetworkLayer]
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.LoopLayerParams()
    message.maxLoopIterations = iterations
    if let condition {
      message.conditionVar = condition.name
      message.conditionNetwork = network(condition.layers)
    } else {
      // Where a loop has no condition, this layer has an empty condition network, as in coremltools.
      message.conditionNetwork = Spec.NeuralNetwork()
    }
    message.bodyNetwork = network(body)
    return .of(.loop(message), "loop", count.map { [$0] } ?? [], [])
  }

  private static func network(_ layers: [Spec.NeuralNetworkLayer]) -> Spec.NeuralNetwork {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    return network
  }
}
