import Engine
import NetworkRuns

/// A graph that is run once through the whole engine: passes, plan, session.
struct GraphRun {
  private let network: Network

  init(_ graph: Graph) {
    network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(precision: .float32))
  }

  /// The outputs for tensors of the types that the graph holds.
  func outputs(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try network.run(inputs)
  }
}
