import Graph

extension Graph {
  /// Adds the gradients of a loss, in reverse mode.
  ///
  /// Every node between the values and the loss is asked for its rule, last one first; where a value is
  /// read more than once its gradients add up. Nothing else is touched: passes that run later fuse the
  /// forward and the backward part as one graph.
  ///
  /// - Parameters:
  ///   - loss: a value of one element.
  ///   - variables: what to differentiate by: inputs, or anything in between.
  /// - Returns: one value a variable, of its shape; zeros where the loss does not depend on it.
  /// - Throws: `EngineError` that names the operator that has no gradient. All types must be known.
  public mutating func differentiate(_ loss: ValueID, withRespectTo variables: [ValueID]) throws
    -> [ValueID]
  {
    guard let shape = self[loss].type?.shape, shape.count == 1 else {
      throw EngineError(
        .invalidInput,
        "A gradient wants a loss of one number; '\(self[loss].name)' is \(self[loss].type?.shape ?? [])."
      )
    }
    let depends = dependents(of: variables)
    let one = addConstant(ReferenceTensor(shape, repeating: 1), name: "one")
    var parts: [ValueID: [ValueID]] = [loss: [one]]
    let forward = nodes
    for node in forward.reversed() where node.outputs.contains(where: { depends[$0.index] }) {
      let given: [ValueID?] = try node.outputs.map { try collect(&parts, $0) }
      guard given.contains(where: { $0 != nil }) else { continue }
      let wanted: [Bool] = node.inputs.map { depends[$0.index] }
      guard wanted.contains(true) else { continue }
      guard let operation = node.operation as? any DifferentiableOperator else {
        throw EngineError(
          .unsupported,
          "\(node.operation.name) '\(node.name)' has no gradient: nothing before it can be trained."
        )
      }
      let made = try gradients(of: operation, node, given, wanted)
      for (input, gradient) in zip(node.inputs, made) where depends[input.index] {
        if let gradient { parts[input, default: []].append(gradient) }
      }
    }
    return try variables.map { variable in
      if let gradient = try collect(&parts, variable) { return gradient }
      let shape = self[variable].type?.shape ?? []
      return addConstant(ReferenceTensor(shape), name: "\(self[variable].name) gradient")
    }
  }

  private mutating func gradients(
    of operation: any DifferentiableOperator, _ node: Node, _ given: [ValueID?], _ wanted: [Bool]
  ) throws -> [ValueID?] {
    // The graph moves into the context and back: a second one beside it would be copied by the first change,
    // for every node.
    let whole: Graph = self
    self = Graph()
    var context = GradientContext(
      graph: consume whole, node: node, outputGradients: given, isWanted: wanted)
    defer { self = context.graph }
    do {
      let made = try operation.gradients(&context)
      precondition(made.count == node.inputs.count, "a rule answers for every input")
      for (input, gradient) in zip(node.inputs, made) {
        guard let gradient else { continue }
        precondition(
          context.shape(of: gradient).count == context.shape(of: input).count,
          "\(operation.name): the gradient is \(context.shape(of: gradient)), the input \(context.shape(of: input))"
        )
      }
      return made
    } catch let error as EngineError {
      throw error.naming(operation.name, node.name)
    }
  }

  /// The sum of the gradients that a value has got so far; it then counts as one.
  private mutating func collect(_ parts: inout [ValueID: [ValueID]], _ value: ValueID) throws
    -> ValueID?
  {
    guard let made = parts[value] else { return nil }
    if made.count == 1 { return made[0] }
    let sum = try apply(
      AddOperator(inputCount: made.count), to: made, name: "\(self[value].name) gradient")
    parts[value] = [sum]
    return sum
  }

  /// Whether each value depends on one of the variables, by value index.
  private func dependents(of variables: [ValueID]) -> [Bool] {
    var result = [Bool](repeating: false, count: values.count)
    for variable in variables { result[variable.index] = true }
    for node in nodes where node.inputs.contains(where: { result[$0.index] }) {
      for output in node.outputs { result[output.index] = true }
    }
    return result
  }
}
