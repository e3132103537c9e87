import Graph

extension Graph {
  /// Adds the operators that compute the gradients of a loss, by reverse-mode differentiation.
  ///
  /// Calls the gradient rule of every node between the variables and the loss, from last to first. If a value is read
  /// more than once, its gradients are summed. No existing node changes. Graph passes that run later see the forward
  /// and the backward pass as one graph.
  ///
  /// - Parameters:
  ///   - loss: a value of one element.
  ///   - variables: the values with respect to which the loss is differentiated: inputs, or any intermediate values.
  /// - Returns: one gradient per variable, of the variable's shape. A gradient is zero if the loss does not depend on
  ///   the variable.
  /// - Throws: `EngineError` if an operator between the variables and the loss has no gradient rule, or if the type of
  ///   a value is unknown.
  public mutating func differentiate(_ loss: ValueID, withRespectTo variables: [ValueID]) throws
    -> [ValueID]
  {
    guard let shape = self[loss].type?.shape, shape.count == 1 else {
      throw EngineError(
        .invalidInput,
        "A gradient needs a loss of one number; '\(self[loss].name)' is \(self[loss].type?.shape ?? [])."
      )
    }
    let depends = dependents(of: variables)
    let one = addConstant(ReferenceTensor(shape, repeating: 1), name: "one")
    var parts: [ValueID: [ValueID]] = [loss: [one]]
    let forward = nodes
    for node in forward.reversed() where node.outputs.contains(where: { depends[$0.index] }) {
      let outputGradients: [ValueID?] = try node.outputs.map { try collect(&parts, $0) }
      guard outputGradients.contains(where: { $0 != nil }) else { continue }
      let wanted: [Bool] = node.inputs.map { depends[$0.index] }
      guard wanted.contains(true) else { continue }
      guard let operation = node.operation as? any DifferentiableOperator else {
        throw EngineError(
          .unsupported,
          "\(node.operation.name) '\(node.name)' has no gradient: nothing before it can be trained."
        )
      }
      let inputGradients = try gradients(of: operation, node, outputGradients, wanted)
      for (input, gradient) in zip(node.inputs, inputGradients) where depends[input.index] {
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
    of operation: any DifferentiableOperator, _ node: Node, _ outputGradients: [ValueID?],
    _ wanted: [Bool]
  ) throws -> [ValueID?] {
    // The graph moves into the context and back. If `self` and the context both held a reference to the graph, the
    // first change that a rule makes would copy the whole graph.
    let graph: Graph = self
    self = Graph()
    var context = GradientContext(
      graph: consume graph, node: node, outputGradients: outputGradients, isWanted: wanted)
    defer { self = context.graph }
    do {
      let inputGradients = try operation.gradients(&context)
      precondition(inputGradients.count == node.inputs.count, "a rule returns one entry per input")
      for (input, gradient) in zip(node.inputs, inputGradients) {
        guard let gradient else { continue }
        precondition(
          context.shape(of: gradient).count == context.shape(of: input).count,
          "\(operation.name): the gradient is \(context.shape(of: gradient)), the input \(context.shape(of: input))"
        )
      }
      return inputGradients
    } catch let error as EngineError {
      throw error.naming(operation.name, node.name)
    }
  }

  /// Sums the gradients that a value has received so far, replaces them by the sum and returns the sum. Returns nil if
  /// the value has received no gradient.
  private mutating func collect(_ parts: inout [ValueID: [ValueID]], _ value: ValueID) throws
    -> ValueID?
  {
    guard let terms = parts[value] else { return nil }
    if terms.count == 1 { return terms[0] }
    let sum = try apply(
      AddOperator(inputCount: terms.count), to: terms, name: "\(self[value].name) gradient")
    parts[value] = [sum]
    return sum
  }

  /// Returns for each value of the graph, by its index, whether it depends on one of the variables.
  private func dependents(of variables: [ValueID]) -> [Bool] {
    var result = [Bool](repeating: false, count: values.count)
    for variable in variables { result[variable.index] = true }
    for node in nodes where node.inputs.contains(where: { result[$0.index] }) {
      for output in node.outputs { result[output.index] = true }
    }
    return result
  }
}
