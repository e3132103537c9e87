import Engine

extension Session {
  /// Puts values into the inputs, in the graph's order.
  package func give(_ inputs: [ReferenceTensor]) {
    for (index, values) in inputs.enumerated() where values.shape.count > 0 {
      let port: BorderTensor = input(index)
      TensorCodec.pack(values, as: port.form, into: port.memory)
    }
  }

  /// The values of an output of the last run.
  package func values(ofOutput index: Int) throws -> ReferenceTensor {
    let port: BorderTensor = try output(index)
    return TensorCodec.unpack(port.memory, as: port.form)
  }
}

extension Network {
  /// What the network makes of its inputs, planned for their types: its outputs in the graph's order.
  package func run(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try plan(for: inputs.map(\.type)).withSession { session in
      session.give(inputs)
      try session.run()
      return try graph.outputs.indices.map { try session.values(ofOutput: $0) }
    }
  }
}

extension GraphModel {
  /// What a model that was read makes of its inputs, in float32 on two threads: its outputs in their order.
  package func run(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let options = ExecutionOptions(precision: .float32, threads: 2)
    return try Network(graph, passes: GraphPasses.standard, options: options).run(inputs)
  }
}
