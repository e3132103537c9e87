import Engine
import Testing

@testable import Operators

@Suite("Passes over pointwise layers")
struct PointwisePassTests {
  /// Builds `relu((x · scale + shift)²)`. A decomposed instance norm ends with similar operators. The inputs `gamma`
  /// and `deviation` determine the scale and the shift.
  private func normGraph(_ picture: Shape, _ statistics: Shape) throws -> Graph {
    var graph = Graph()
    let x = graph.addValue("x")
    let gamma = graph.addValue("gamma")
    let deviation = graph.addValue("deviation")
    graph.inputs = [x, gamma, deviation]
    func node(_ layer: any Operator, _ inputs: [Graph.ValueID]) -> Graph.ValueID {
      let output = graph.addValue("v\(graph.nodes.count)")
      graph.nodes.append(
        Graph.Node(name: "v\(output.index)", operation: layer, inputs: inputs, outputs: [output]))
      return output
    }
    let scale = node(MultiplyOperator(inputCount: 2), [gamma, deviation])
    let shift = node(ActivationOperator(.linear(alpha: -1, beta: 0.5)), [scale])
    let scaled = node(MultiplyOperator(inputCount: 2), [x, scale])
    let moved = node(AddOperator(inputCount: 2), [scaled, shift])
    let squared = node(MultiplyOperator(inputCount: 2), [moved, moved])
    graph.outputs = [node(ActivationOperator(.reLU), [squared])]
    try graph.inferTypes(from: [picture, statistics, statistics].map { TensorType($0) })
    return graph
  }

  /// Evaluates the graph with the reference implementation of every node.
  private func evaluate(_ graph: Graph, _ inputs: [ReferenceTensor]) throws -> ReferenceTensor {
    var values = Dictionary(uniqueKeysWithValues: zip(graph.inputs, inputs))
    for node in graph.nodes {
      let operands = try node.inputs.map { try #require(values[$0]) }
      for (output, value) in zip(node.outputs, try node.operation.reference(operands)) {
        values[output] = value
      }
    }
    return try #require(values[graph.outputs[0]])
  }

  private func filled(_ shape: Shape, _ seed: UInt64) -> ReferenceTensor {
    var generator = SplitMix64(seed: seed)
    return ReferenceTensor(
      shape, (0..<shape.count).map { _ in Double(Float(generator.uniform(-1...1))) })
  }

  @Test("Passes join consecutive pointwise operators on an image and leave statistics separate")
  func joinsPicture() throws {
    var graph = try normGraph([1, 5, 9, 7], [1, 5, 1, 1])
    try JoinPointwise.run(on: &graph)
    #expect(graph.nodes.count == 3)
    let chain = try #require(graph.nodes.last?.operation as? PointwiseChain)
    #expect(chain.links.count == 4)
    #expect(graph.nodes.last?.inputs.count == 3)
  }

  @Test("Passes join all pointwise operators of one shape")
  func joinsStatistics() throws {
    var graph = try normGraph([5], [5])
    try JoinPointwise.run(on: &graph)
    // Two operators read the scale, and both become part of the chain.
    #expect(graph.nodes.count == 1)
  }

  @Test(
    "Passes over pointwise layers preserve the graph's results",
    arguments: [([1, 5, 9, 7], [1, 5, 1, 1]), ([5], [5])] as [(Shape, Shape)])
  func keepsValues(picture: Shape, statistics: Shape) throws {
    let before = try normGraph(picture, statistics)
    var after = before
    try JoinPointwise.run(on: &after)
    let inputs = [filled(picture, 1), filled(statistics, 2), filled(statistics, 3)]
    #expect(try evaluate(before, inputs) == evaluate(after, inputs))
  }

  @Test("Passes make chains that the fast kernel supports", arguments: Form.all)
  func chainKernel(form: Form) throws {
    var graph = try normGraph([1, 5, 9, 7], [1, 5, 1, 1])
    try JoinPointwise.run(on: &graph)
    let node = try #require(graph.nodes.last)
    let inputs = [filled([1, 5, 9, 7], 1), filled([1, 5, 1, 1], 2), filled([1, 5, 1, 1], 3)]
    let types = [TensorType([1, 5, 9, 7])]
    let outputs = try form.trial.run(node.operation.allKernels[0], inputs: inputs, outputs: types)
    let comparison = Comparison(
      try #require(outputs)[0], to: try node.operation.reference(inputs)[0])
    #expect(comparison.error <= (form.storage == .bfloat16 ? 0.05 : 1e-6), "\(comparison)")
  }

  @Test("A pass replaces the sum of a value times itself by a sum of squares")
  func foldsSquare() throws {
    var graph = Graph()
    let x = graph.addValue("x")
    let square = graph.addValue("square")
    let sum = graph.addValue("sum")
    graph.inputs = [x]
    graph.outputs = [sum]
    graph.nodes = [
      Graph.Node(
        name: "square", operation: MultiplyOperator(inputCount: 2), inputs: [x, x],
        outputs: [square]),
      Graph.Node(
        name: "sum", operation: ReduceOperator(.sum, axes: [-2, -1]), inputs: [square],
        outputs: [sum]),
    ]
    try graph.inferTypes(from: [TensorType([2, 3, 4])])
    let input = filled([2, 3, 4], 1)
    let before = try evaluate(graph, [input])
    try FoldSquareIntoReduction.run(on: &graph)
    #expect(graph.nodes.count == 1)
    #expect(graph.nodes[0].inputs == [x])
    #expect(Comparison(try evaluate(graph, [input]), to: before).error < 1e-12)
  }
}
