import Engine
import Operators
import Testing

/// Sums and products as ML Programs write them, after a convolution.
@Suite struct BinaryFunctionPassTests {
  /// A function of a convolution's result and another value, then a ReLU: the names of what the passes leave.
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
  func `A number for each channel becomes part of the weights`(function: BinaryFunction) throws {
    let left = try remaining(function) { graph, _ in
      graph.addConstant(Constant([1, 16, 1, 1], (1...16).map(Float.init)), name: "numbers")
    }
    #expect(left == ["Convolution"])
  }

  @Test func `Numbers for each column stay apart`() throws {
    let left = try remaining(.multiply) { graph, _ in
      graph.addConstant(Constant([8], (1...8).map(Float.init)), name: "numbers")
    }
    #expect(left.count == 2)
  }
}
