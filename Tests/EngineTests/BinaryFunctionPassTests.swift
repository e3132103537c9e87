import Engine
import Operators
import Testing

/// Tests passes that fuse sums and products into the convolution before them. Here the sums and products are binary
/// functions, as in ML Programs.
@Suite struct BinaryFunctionPassTests {
  /// Builds a ReLU of `function`, which has two operands: the result of a convolution, and another value. Returns the
  /// names of the operators that remain after the passes.
  private func remaining(
    _ function: BinaryFunction, with other: (inout Graph, Graph.ValueID) -> Graph.ValueID
  ) throws -> [String] {
    var graph = Graph()
    let input = graph.addInput("x", [1, 16, 8, 8])
    let weights = graph.addConstant(.repeating(0.1, [16, 16, 1, 1]), name: "weights")
    let made = try graph.apply(
      ConvolutionOperator(outputChannels: 16, kernelChannels: 16, kernel: .init(1, 1)),
      to: [input, weights], name: "convolution")
    let joined = try graph.apply(
      BinaryFunctionOperator(function), to: [made, other(&graph, input)], name: "joined")
    graph.outputs = [
      try graph.apply(ActivationOperator(.reLU), to: [joined], name: "ReLU")
    ]
    for pass in GraphPasses.standard { try pass.run(on: &graph) }
    return graph.nodes.map(\.operation.name)
  }

  @Test func `A sum with another value becomes the convolution's residual`() throws {
    #expect(try remaining(.add) { _, input in input } == ["Convolution"])
  }

  @Test(arguments: [BinaryFunction.add, .subtract, .multiply, .divide])
  func `A per-channel constant is folded into the weights`(function: BinaryFunction) throws {
    let left = try remaining(function) { graph, _ in
      graph.addConstant(Constant([1, 16, 1, 1], (1...16).map(Float.init)), name: "numbers")
    }
    #expect(left == ["Convolution"])
  }

  @Test func `A per-column constant is not folded`() throws {
    let left = try remaining(.multiply) { graph, _ in
      graph.addConstant(Constant([8], (1...8).map(Float.init)), name: "numbers")
    }
    #expect(left.count == 2)
  }
}
