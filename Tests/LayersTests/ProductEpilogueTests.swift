import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Matrix products with an epilogue")
struct ProductEpilogueTests {
  private static let epilogues: [any Operator] = [
    ActivationOperator(.reLU), ActivationOperator(.tanh), GeluOperator(.exact),
    GeluOperator(.tanhApproximation), GeluOperator(.sigmoidApproximation),
    FormulaOperator(.swish, inputCount: 1),
  ]

  /// Builds the graph of `epilogue(x × Wᵀ + b)`, where `x` is an input with any number of rows.
  private func graph(_ epilogue: any Operator) -> Graph {
    var graph = Graph()
    let x = graph.addValue("x")
    graph.inputs = [x]
    var generator = SplitMix64(seed: 3)
    func constant(_ shape: Shape) -> Graph.ValueID {
      graph.addConstant(
        Constant(shape, (0..<shape.count).map { _ in Float(generator.uniform(-1...1)) }),
        name: "constant")
    }
    let parameters = [constant([24, 16]), constant([24])]
    let (sum, result) = (graph.addValue("sum"), graph.addValue("result"))
    graph.nodes = [
      Graph.Node(
        name: "product", operation: BatchedMatMulOperator.ofRows, inputs: [x] + parameters,
        outputs: [sum]),
      Graph.Node(name: "epilogue", operation: epilogue, inputs: [sum], outputs: [result]),
    ]
    graph.outputs = [result]
    return graph
  }

  @Test("A fused epilogue gives the results of the separate operator", arguments: 0..<6, [4, 80])
  func matchesSeparateOperator(index: Int, rows: Int) throws {
    var generator = SplitMix64(seed: 5)
    let input = ReferenceTensor(
      [rows, 16], (0..<rows * 16).map { _ in Double(Float(generator.uniform(-1...1))) })
    let graph = graph(Self.epilogues[index])
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let made = try network.run([input])[0]
    var values: [ReferenceTensor] = [input]
    for node in graph.nodes {
      let constants = try node.inputs.dropFirst().compactMap { try graph[$0].constant?.tensor() }
      values = try node.operation.reference(values + constants)
    }
    let comparison = Comparison(made, to: values[0])
    #expect(comparison.error <= 2e-5, "\(comparison)")
  }

  @Test("With many rows the epilogue is fused, with few rows it stays a separate node")
  func fusesForManyRows() throws {
    for (rows, count) in [(80, 1), (4, 2)] {
      var graph = graph(GeluOperator(.exact))
      try graph.inferTypes(from: [TensorType([rows, 16])])
      try FuseActivation.run(on: &graph)
      #expect(graph.nodes.count == count)
    }
  }
}
