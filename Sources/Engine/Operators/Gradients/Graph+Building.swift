import Graph

extension Graph {
  /// Adds an operator with one output, infers the output's type, and returns the output.
  public mutating func apply(_ operation: any Operator, to inputs: [ValueID], name: String) throws
    -> ValueID
  {
    try apply(operation, to: inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator, infers the types of its outputs, and returns the outputs. If the operator does not accept the
  /// inputs, throws an error with the operator's name. If the types of the outputs depend on the values of the inputs,
  /// throws `unsupported`.
  public mutating func apply(
    _ operation: any Operator, to inputs: [ValueID], outputs: Int, name: String
  ) throws -> [ValueID] {
    let results: [ValueID] = (0..<outputs).map { addValue(outputs == 1 ? name : "\(name) \($0)") }
    let node = Node(name: name, operation: operation, inputs: inputs, outputs: results)
    nodes.append(node)
    guard try inferTypes(of: node) else {
      throw EngineError(
        .unsupported,
        "\(operation.name) '\(name)': the shape of its output depends on values, which a graph for training cannot have."
      )
    }
    return results
  }

  /// Adds a constant, and returns the graph value that holds it.
  public mutating func addConstant(_ tensor: ReferenceTensor, name: String) -> ValueID {
    addConstant(Constant(tensor), name: name)
  }

  /// Adds a graph input of the given shape, and returns the graph value of this input.
  public mutating func addInput(_ name: String, _ shape: Shape) -> ValueID {
    let value = addValue(name, type: TensorType(shape))
    inputs.append(value)
    return value
  }

  /// Adds all nodes of another graph to this graph. The added nodes read `inputs` in place of the other graph's inputs.
  /// Returns the values of this graph that correspond to the other graph's outputs. The types of the added values are
  /// inferred again. Image inputs and outputs of the other graph become plain tensors, so the scale and the bias of an
  /// image are not applied.
  ///
  /// - Parameter inputs: one value of this graph per input of the other graph.
  public mutating func append(_ other: Graph, inputs arguments: [ValueID]) throws -> [ValueID] {
    precondition(arguments.count == other.inputs.count, "one value per input")
    var mapped: [ValueID: ValueID] = [:]
    for (inner, mappedValue) in zip(other.inputs, arguments) { mapped[inner] = mappedValue }
    func mappedValue(_ value: ValueID, _ graph: inout Graph) -> ValueID {
      if let known = mapped[value] { return known }
      let added = graph.addValue(other[value].name, type: other[value].type)
      graph[added].constant = other[value].constant
      mapped[value] = added
      return added
    }
    for node in other.nodes {
      let inputs: [ValueID] = node.inputs.map { mappedValue($0, &self) }
      let outputs: [ValueID] = node.outputs.map { mappedValue($0, &self) }
      let copy = Node(name: node.name, operation: node.operation, inputs: inputs, outputs: outputs)
      nodes.append(copy)
      guard try inferTypes(of: copy) else {
        throw EngineError(
          .unsupported,
          "Layer '\(node.name)': shapes that depend on values cannot be part of a graph for training."
        )
      }
    }
    return other.outputs.map { mappedValue($0, &self) }
  }
}
