import Graph

// What was taken is added back to its places among zeros.

extension GatherOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    guard batchAxes == 0 else { throw GradientContext.batched }
    return try context.scattered(ScatterOperator(axis: axis, mode: .add, rule: rule))
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
      let whole = try context.compute(formula, of: values)
      result[index + 1] = try context.unbroadcast(
        whole, to: context.shape(of: context.inputs[index + 1]))
    }
    return result
  }
}

extension GradientContext {
  /// The error for indices that belong to the elements of a batch.
  fileprivate static var batched: EngineError {
    EngineError(.unsupported, "there is no gradient of a gathering per element of a batch.")
  }

  /// The gradient of the first input, from whose places the second one took.
  fileprivate mutating func scattered(_ operation: any Operator) throws -> [Graph.ValueID?] {
    let empty = zeros(shape(of: inputs[0]))
    return onlyFirst(try add(operation, empty, inputs[1], outputGradient))
  }
}
