import Graph

extension PermuteOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let order: [Int] = sources(rank: context.shape(of: context.inputs[0]).rank)
    return [try context.add(TransposeOperator(axes: order.inverted), context.outputGradient)]
  }
}

extension TransposeOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(TransposeOperator(axes: axes.inverted), context.outputGradient)]
  }
}
