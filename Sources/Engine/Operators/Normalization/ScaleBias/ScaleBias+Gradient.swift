import Graph

extension ScaleOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let factors = context.constant(ReferenceTensor(scale.shape, try scale.doubles()))
    return [
      try context.compute(.operand(0) * .operand(1), of: [context.outputGradient, factors])
    ]
  }
}

extension BiasOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [context.outputGradient]
  }
}
