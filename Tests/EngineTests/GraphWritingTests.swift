import Engine
import ModelFormat
import Operators
import Testing

@Suite("A graph written as layers")
struct GraphWritingTests {
  /// Builds a residual block with a norm, a constant used as data, and a value with two readers.
  private func graph() throws -> Graph {
    var graph = Graph()
    let x = graph.addInput("x", [1, 4, 6, 6])
    var generator = SplitMix64(seed: 5)
    func constant(_ shape: Shape, _ name: String, _ graph: inout Graph) -> Graph.ValueID {
      let values = (0..<shape.count).map { _ in Float(generator.uniform(-0.5...0.5)) }
      return graph.addConstant(Constant(shape, values), name: name)
    }
    let padded = try graph.apply(
      PaddingOperator(amounts: EdgeAmounts(top: 1, bottom: 1, left: 1, right: 1)), to: [x],
      name: "pad")
    let cut = try graph.apply(
      SliceStaticOperator(slices: [
        AxisSlice(), AxisSlice(), AxisSlice(begin: 1, end: 7), AxisSlice(begin: 1, end: 7),
      ]), to: [padded], name: "same")
    let shift = constant([4, 1, 1], "shift", &graph)
    let moved = try graph.apply(
      BinaryFunctionOperator(.add), to: [cut, shift], name: "same")
    let curved = try graph.apply(
      ActivationOperator(.tanh), to: [moved], name: "curved")
    let joined = try graph.apply(AddOperator(inputCount: 2), to: [curved, moved], name: "y")
    graph.outputs = [joined]
    return graph
  }

  @Test("Written layers read back as an equivalent graph, although two values share a name")
  func roundTrip() throws {
    let graph = try graph()
    let layers = try graph.neuralNetworkLayers()
    #expect(Set(layers.flatMap(\.output)).count == layers.flatMap(\.output).count)
    let again = try TestNetwork(layers, input: [1, 4, 6, 6]).graph()
    let input = ReferenceTensor([1, 4, 6, 6], (0..<144).map { Double($0 % 13) / 6 - 1 })
    #expect(try again.reference([input]) == graph.reference([input]))
  }

  @Test("The layers of a random network read back as an equivalent graph", arguments: 0..<40)
  func randomNetworks(seed: Int) throws {
    let network = RandomNetwork(seed: UInt64(seed))
    let graph = try network.graph()
    let shape: Shape = network.inputShape
    var written = TestNetwork(
      try graph.neuralNetworkLayers(), input: shape.dimensions.map(Int64.init))
    written.description.output = network.outputs.map { TestNetwork.array($0, []) }
    let input = ReferenceTensor(shape, (0..<shape.count).map { Double($0 % 31) / 16 - 1 })
    #expect(try written.graph().reference([input]) == graph.reference([input]))
  }

  @Test("Weights that the network computes cannot be written, and the error names the operator")
  func variableWeights() throws {
    var graph = Graph()
    let x = graph.addInput("x", [2, 3])
    let weights = graph.addInput("w", [4, 3])
    graph.outputs = [try graph.apply(InnerProductOperator(), to: [x, weights], name: "dense")]
    let error = #expect(throws: EngineError.self) { try graph.neuralNetworkLayers() }
    #expect(error?.message.contains("'dense'") == true)
    #expect(error?.message.contains("the network computes the") == true)
  }
}
