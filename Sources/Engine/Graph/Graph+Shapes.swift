extension Graph {
  /// Infers the type of every value from the types of the inputs.
  ///
  /// Values whose type depends on data keep nil; the caller then runs node by node. Errors name the
  /// layer.
  ///
  /// - Parameter inputTypes: one type an input of the graph, in its order.
  public mutating func inferTypes(from inputTypes: [TensorType]) throws {
    precondition(inputTypes.count == inputs.count, "one type an input")
    for (value, type) in zip(inputs, inputTypes) {
      guard type.shape.isMeasurable else {
        throw EngineError(
          .invalidInput,
          "Input '\(self[value].name)' is \(type.shape), more than any machine can compute.")
      }
      self[value].type = type
    }
    for node in nodes {
      let known: [LayerInput]? = layerInputs(of: node)
      guard let known else {
        for output in node.outputs { self[output].type = nil }
        continue
      }
      let types: [TensorType]?
      do {
        types = try node.layer.outputTypes(for: known)
      } catch let error as EngineError {
        throw error.naming(type(of: node.layer).declaration.name, node.name)
      }
      guard let types else {
        for output in node.outputs { self[output].type = nil }
        continue
      }
      guard types.count == node.outputs.count else {
        throw EngineError(
          .invalidModel,
          "the layer makes \(types.count) outputs but the model names \(node.outputs.count)."
        ).naming(type(of: node.layer).declaration.name, node.name)
      }
      for (output, type) in zip(node.outputs, types) {
        guard type.shape.isMeasurable else {
          throw EngineError(
            .outOfMemory,
            "the output would be \(type.shape), more than any machine can compute. The file may be"
              + " corrupt."
          ).naming(Swift.type(of: node.layer).declaration.name, node.name)
        }
        self[output].type = type
      }
    }
  }

  /// Whether every value's type is known, so that the whole graph can be planned ahead.
  public var isStatic: Bool {
    nodes.allSatisfy { node in node.outputs.allSatisfy { self[$0].type != nil } }
  }

  private func layerInputs(of node: Node) -> [LayerInput]? {
    var result: [LayerInput] = []
    for input in node.inputs {
      guard let type = self[input].type else { return nil }
      result.append(LayerInput(type, value: self[input].constant))
    }
    return result
  }
}
