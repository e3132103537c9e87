import Graph

extension Graph {
  /// Adds an operator that makes one value, and infers its type.
  public mutating func apply(_ operation: any Operator, to inputs: [ValueID], name: String) throws
    -> ValueID
  {
    try apply(operation, to: inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator, and infers the types of what it makes. Throws, with its name, when the inputs
  /// do not fit, and `unsupported` when the types depend on values.
  public mutating func apply(
    _ operation: any Operator, to inputs: [ValueID], outputs: Int, name: String
  ) throws -> [ValueID] {
    let made: [ValueID] = (0..<outputs).map { addValue(outputs == 1 ? name : "\(name) \($0)") }
    let node = Node(name: name, operation: operation, inputs: inputs, outputs: made)
    nodes.append(node)
    guard try inferTypes(of: node) else {
      throw EngineError(
        .unsupported,
        "\(operation.name) '\(name)': the shape of its output depends on values, which a graph for training cannot have."
      )
    }
    return made
  }

  /// Adds values that do not change.
  public mutating func addConstant(_ tensor: ReferenceTensor, name: String) -> ValueID {
    addConstant(Constant(tensor), name: name)
  }

  /// Adds an input with its type.
  public mutating func addInput(_ name: String, _ shape: Shape) -> ValueID {
    let value = addValue(name, type: TensorType(shape))
    inputs.append(value)
    return value
  }

  /// Adds all nodes of another graph, fed from values of this one, and gives what its outputs became.
  ///
  /// - Parameter inputs: one value an input of the other graph. Types are inferred anew. Pictures at the
  ///   other graph's border count as plain tensors: their scale and bias are not applied.
  public mutating func append(_ other: Graph, inputs given: [ValueID]) throws -> [ValueID] {
    precondition(given.count == other.inputs.count, "one value an input")
    var mapped: [ValueID: ValueID] = [:]
    for (theirs, ours) in zip(other.inputs, given) { mapped[theirs] = ours }
    func ours(_ value: ValueID, _ graph: inout Graph) -> ValueID {
      if let known = mapped[value] { return known }
      let added = graph.addValue(other[value].name, type: other[value].type)
      graph[added].constant = other[value].constant
      mapped[value] = added
      return added
    }
    for node in other.nodes {
      let inputs: [ValueID] = node.inputs.map { ours($0, &self) }
      let outputs: [ValueID] = node.outputs.map { ours($0, &self) }
      let copy = Node(name: node.name, operation: node.operation, inputs: inputs, outputs: outputs)
      nodes.append(copy)
      guard try inferTypes(of: copy) else {
        throw EngineError(
          .unsupported,
          "Layer '\(node.name)': shapes that depend on values cannot be part of a graph for training."
        )
      }
    }
    return other.outputs.map { ours($0, &self) }
  }
}
