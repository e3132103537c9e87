import Graph

// The gradient of the data starts as zeros. The output's gradient is added to it at the indices from which the operator
// gathered.

extension GatherOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard batchAxes == 0 else { throw GradientContext.batched }
    let data: Shape = context.shape(of: context.inputs[0])
    return context.onlyFirst(
      try context.add(
        GatherGradientOperator(axis: axis, rule: rule, of: data), context.outputGradient,
        context.inputs[1]))
  }
}

extension GatherNDOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard batchAxes == 0 else { throw GradientContext.batched }
    return try context.scattered(ScatterNDOperator(mode: .add, rule: rule))
  }
}

extension GatherAlongAxisOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.scattered(ScatterAlongAxisOperator(axis: axis, mode: .add, rule: rule))
  }
}

extension WhereBroadcastableOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let values: [Graph.ValueID] = [context.outputGradient, context.inputs[0]]
    let isFalse: Formula = .operation(.isEqual, .operand(1), 0)
    let formulas: [Formula] = [.operand(0) * (1 - isFalse), .operand(0) * isFalse]
    var result = context.nothing
    for (index, formula) in formulas.enumerated() where context.isWanted[index + 1] {
      let broadcast = try context.compute(formula, of: values)
      result[index + 1] = try context.unbroadcast(
        broadcast, to: context.shape(of: context.inputs[index + 1]))
    }
    return result
  }
}

extension GradientContext {
  /// The error that gathering with batch axes has no gradient.
  fileprivate static var batched: EngineError {
    EngineError(.unsupported, "there is no gradient for gathering with batch axes.")
  }

  /// Adds `operation` to the graph. It computes the gradient of the first input: it adds the output's gradient to a
  /// tensor of zeros, at the indices in the second input. Returns this gradient, and nil for the other inputs.
  fileprivate mutating func scattered(_ operation: any Operator) throws -> [Graph.ValueID?] {
    let zeroTensor = zeros(shape(of: inputs[0]))
    return onlyFirst(try add(operation, zeroTensor, inputs[1], outputGradient))
  }
}
