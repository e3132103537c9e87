import Engine
import NetworkRuns

/// Runs a graph once through the complete engine: passes, plan, session.
struct GraphRun {
  private let network: Network

  init(_ graph: Graph) {
    network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(precision: .float32))
  }

  /// Returns the outputs for tensors of the graph's input types.
  func outputs(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try network.run(inputs)
  }
}
