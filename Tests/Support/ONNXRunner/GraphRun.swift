import Engine

/// A graph that is run once through the whole engine: passes, plan, session.
struct GraphRun {
  private let network: Network

  init(_ graph: Graph) {
    network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(precision: .float32))
  }

  /// The outputs for tensors of the types that the graph holds.
  func outputs(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let plan: PreparedPlan = try network.plan(for: inputs.map(\.type))
    return try plan.withSession { session in
      for (position, tensor) in inputs.enumerated() where tensor.shape.count > 0 {
        let border: BorderTensor = session.input(position)
        TensorCodec.pack(tensor, as: border.form, into: border.memory)
      }
      try session.run()
      return try network.graph.outputs.indices.map { position in
        let border: BorderTensor = try session.output(position)
        return TensorCodec.unpack(border.memory, as: border.form)
      }
    }
  }
}
