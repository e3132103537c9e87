import Engine

extension Session {
  /// Copies values into the inputs, in the graph's order.
  package func give(_ inputs: [ReferenceTensor]) {
    for (index, values) in inputs.enumerated() where values.shape.count > 0 {
      let port: PortTensor = input(index)
      TensorCodec.pack(values, as: port.form, into: port.memory)
    }
  }

  /// Returns the values of an output of the last run.
  package func values(ofOutput index: Int) throws -> ReferenceTensor {
    let port: PortTensor = try output(index)
    return TensorCodec.unpack(port.memory, as: port.form)
  }
}

extension Network {
  /// Plans the network for the inputs' types and runs it. Returns the outputs in the graph's order.
  package func run(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try plan(for: inputs.map(\.type)).withSession { session in
      session.give(inputs)
      try session.run()
      return try graph.outputs.indices.map { try session.values(ofOutput: $0) }
    }
  }
}

extension GraphModel {
  /// Runs a model in float32 on two threads. Returns the outputs in the model's order.
  package func run(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let options = ExecutionOptions(precision: .float32, threads: 2)
    return try Network(graph, passes: GraphPasses.standard, options: options).run(inputs)
  }
}
