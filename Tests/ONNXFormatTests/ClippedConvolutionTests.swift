import Engine
import NetworkRuns
import Operators
import Testing

@Suite("A convolution clipped at 0 and at an upper bound")
struct ClippedConvolutionTests {
  @Test(
    "A clipped convolution applies both bounds in its epilogue",
    arguments: [(8, 3), (16, 3), (1, 1), (1, 3)])
  func fused(groups: Int, kernel: Int) throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [1, 16, 9, 11])
    var generator = SplitMix64(seed: 5)
    let weights = (0..<16 * 16 / groups * kernel * kernel).map { _ in generator.uniform(-2...2) }
    let convolution = ConvolutionOperator(
      outputChannels: 16, kernelChannels: 16 / groups, groups: groups,
      kernel: .init(kernel, kernel),
      padding: .same(topLeftHeavy: false))
    let made = try builder.add(
      convolution, x,
      builder.addConstant(ReferenceTensor([16, 16 / groups, kernel, kernel], weights), name: "w"),
      name: "c")
    let clipped = try builder.add(ClipOperator(minimum: 0, maximum: 6), made, name: "clip")
    builder.addOutput(clipped, name: "y")
    let graph: Graph = builder.model().graph
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(precision: .float32))
    let input = ReferenceTensor(
      [1, 16, 9, 11], (0..<16 * 99).map { _ in Double(Float(generator.uniform(-2...2))) })
    #expect(try network.optimizedGraph(for: [input.type]).nodes.count == 1)
    let expected = try #require(try graph.definition([input])[0])
    #expect(expected.values.contains(6) && expected.values.contains(0))
    let answer: ReferenceTensor = try network.run([input])[0]
    #expect(zip(answer.values, expected.values).allSatisfy { abs($0 - $1) < 1e-4 })
  }
}
