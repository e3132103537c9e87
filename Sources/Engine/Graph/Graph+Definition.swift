extension Graph {
  /// Computes the graph's outputs using only the operators' reference implementations. Tests compare the outputs of
  /// plans with these outputs.
  ///
  /// - Parameters:
  ///   - inputs: One value per input of the graph; nil for an input that does not exist, for example an optional input
  ///     that the caller omits.
  ///   - loopLimit: The maximum number of iterations of a loop.
  /// - Returns: One value per output; nil for an output that no layer made.
  public func definition(
    _ inputs: [ReferenceTensor?], loopLimit: Int = Graph.defaultLoopLimit
  ) throws -> [ReferenceTensor?] {
    var outputs: [ReferenceTensor?] = []
    _ = try define(inputs, loopLimit, into: &outputs)
    return outputs
  }

  fileprivate func define(
    _ inputs: [ReferenceTensor?], _ loopLimit: Int, into outputs: inout [ReferenceTensor?]
  ) throws -> RegionExit {
    var known: [ReferenceTensor?] = try values.map { try $0.constant?.tensor() }
    for (value, tensor) in zip(self.inputs, inputs) { known[value.index] = tensor }
    for node in nodes {
      var exit = RegionExit.end
      let made: [ReferenceTensor?]
      do {
        if let rule = node.control {
          let runner = DefinitionRunner(node: node, loopLimit: loopLimit)
          (made, exit) = try runner.run(node, rule, in: self, node.inputs.map { known[$0.index] })
        } else {
          made = try node.operation.defined(
            try node.inputs.map { input in
              guard let value = known[input.index] else { throw node.missing(self[input].name) }
              return value
            })
        }
      } catch let error as EngineError {
        throw error.naming(node)
      }
      for (value, tensor) in zip(node.outputs, made) { known[value.index] = tensor }
      if exit != .end {
        outputs = (node.leaving ?? []).map { known[$0.index] }
        return exit
      }
    }
    outputs = self.outputs.map { known[$0.index] }
    return .end
  }
}

/// Runs regions with the operators' reference implementations.
private struct DefinitionRunner: RegionRunner {
  let node: Graph.Node
  let loopLimit: Int

  func run(
    _ region: Int, _ arguments: inout [ReferenceTensor?], giving given: Int,
    into outputs: inout [ReferenceTensor?]
  ) throws -> RegionExit {
    try node.regions[region].graph.define(arguments, loopLimit, into: &outputs)
  }

  func number(in value: ReferenceTensor) -> Double? { value.reals.first }
}

extension Operator {
  /// Computes the outputs with the reference implementation. The outputs have the types that shape inference gives for
  /// inputs with these values.
  fileprivate func defined(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let known: [OperatorInput] = inputs.map { OperatorInput($0.type, value: $0) }
    try requireTypes(known)
    guard let types = try outputTypes(for: known) else {
      throw EngineError(
        .unsupported, "the layer's output shape cannot be computed even from its inputs' values.")
    }
    return try define(inputs, types: types)
  }
}
