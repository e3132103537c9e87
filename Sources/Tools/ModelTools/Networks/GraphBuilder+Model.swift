import Engine

extension GraphBuilder {
  /// Adds the operators of another model, which reads `inputs` instead of its own inputs. Returns the values of the
  /// model's outputs.
  func add(_ model: GraphModel, reading inputs: [Graph.ValueID]) throws -> [Graph.ValueID] {
    let source: Graph = model.graph
    precondition(inputs.count == source.inputs.count, "one value for each input of the model")
    var copies: [Graph.ValueID: Graph.ValueID] = Dictionary(
      uniqueKeysWithValues: zip(source.inputs, inputs))
    func copy(of value: Graph.ValueID) -> Graph.ValueID {
      if let known = copies[value] { return known }
      guard let constant = source[value].constant else {
        preconditionFailure("a value is an input, a constant or the output of an earlier node")
      }
      let added: Graph.ValueID = addConstant(constant, name: source[value].name)
      copies[value] = added
      return added
    }
    for node in source.nodes {
      let outputs: [Graph.ValueID] = try add(
        node.operation, node.inputs.map(copy), outputs: node.outputs.count, name: node.name,
        regions: node.regions)
      for (original, output) in zip(node.outputs, outputs) { copies[original] = output }
    }
    return source.outputs.map(copy)
  }
}
