import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Roundings to float16 in epilogues")
struct RoundingEpilogueTests {
  private static let product: any Operator = BatchedMatMulOperator.ofRows
  private static let convolution: any Operator = ConvolutionOperator(
    outputChannels: 32, kernelChannels: 32, kernel: .init(1, 1), hasBias: true)

  /// Builds the graph of a product or convolution with a bias, a rounding, and then the operators of a list. An operator
  /// with two operands also reads the graph's input.
  private func graph(_ first: any Operator, _ others: [any PointwiseOperator]) -> Graph {
    var graph = Graph()
    let x = graph.addValue("x")
    graph.inputs = [x]
    var generator = SplitMix64(seed: 3)
    func constant(_ shape: Shape) -> Graph.ValueID {
      graph.addConstant(
        Constant(
          shape, (0..<shape.count).map { _ in Float(generator.uniform(-40...40).rounded()) }),
        name: "constant")
    }
    let weights: Shape = first is ConvolutionOperator ? [32, 32, 1, 1] : [32, 32]
    var value: Graph.ValueID = graph.addValue("sum")
    graph.nodes = [
      Graph.Node(
        name: "first", operation: first, inputs: [x, constant(weights), constant([32])],
        outputs: [value])
    ]
    for (index, operation) in ([RoundOperator(to: .float16)] + others).enumerated() {
      let result: Graph.ValueID = graph.addValue("\(index)")
      let inputs: [Graph.ValueID] = operation.program.inputCount == 2 ? [value, x] : [value]
      graph.nodes.append(
        Graph.Node(name: "\(index)", operation: operation, inputs: inputs, outputs: [result]))
      value = result
    }
    graph.outputs = [value]
    return graph
  }

  private static let rounding = RoundOperator(to: .float16)
  private static let addition = BinaryFunctionOperator(.add)
  private static let reLU = ActivationOperator(.reLU)

  /// The operators after the first rounding, and the number of nodes that remain.
  private static let cases: [(others: [any PointwiseOperator], count: Int)] = [
    ([], 1), ([reLU], 1), ([addition, rounding], 1), ([addition, rounding, reLU], 1),
    ([addition], 2),
    ([ClipOperator(minimum: 0, maximum: 6)], 1),
    ([ActivationOperator(.sigmoid)], 2), ([ActivationOperator(.sigmoid), rounding], 1),
  ]

  @Test("Roundings are fused where each step is rounded", arguments: 0..<8, [false, true])
  func fuses(index: Int, isConvolution: Bool) throws {
    let first: any Operator = isConvolution ? Self.convolution : Self.product
    let (others, count) = Self.cases[index]
    let shape: Shape = isConvolution ? [1, 32, 9, 8] : [1, 72, 32]
    var generator = SplitMix64(seed: 5)
    let input = ReferenceTensor(
      shape, (0..<shape.count).map { _ in generator.uniform(-40...40).rounded() })
    let graph: Graph = graph(first, others)

    var optimized: Graph = graph
    try optimized.inferTypes(from: [TensorType(shape)])
    for pass in GraphPasses.standard { try pass.run(on: &optimized) }
    // Products have no clip.
    let isClip: Bool = others.first is ClipOperator && !isConvolution
    #expect(optimized.nodes.count == (isClip ? 2 : count))

    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let made: ReferenceTensor = try network.run([input])[0]
    var value = input
    for node in graph.nodes {
      var operands: [ReferenceTensor] = [value]
      for id in node.inputs.dropFirst() {
        operands.append(try graph[id].constant?.tensor() ?? input)
      }
      value = try node.operation.reference(operands)[0]
    }
    // All sums are integers below 2²⁴, so only the sigmoid differs in its last bits.
    let isExact: Bool = !others.contains { ($0 as? ActivationOperator)?.function == .sigmoid }
    let comparison = Comparison(made, to: value)
    #expect(comparison.error <= (isExact ? 0 : 1e-3), "\(comparison)")
  }
}
