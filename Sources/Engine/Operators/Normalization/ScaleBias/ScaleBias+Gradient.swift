import Graph

extension ScaleOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let (input, scale, gradient) = (context.inputs[0], context.inputs[1], context.outputGradient)
    var result: [Graph.ValueID?] = context.nothing
    result[0] = try context.compute(.operand(0) * .operand(1), of: [gradient, scale])
    if context.isWanted[1] {
      let products = try context.compute(.operand(0) * .operand(1), of: [gradient, input])
      result[1] = try context.unbroadcast(products, to: context.shape(of: scale))
    }
    if hasBias, context.isWanted[2] {
      result[2] = try context.unbroadcast(gradient, to: context.shape(of: context.inputs[2]))
    }
    return result
  }
}

extension BiasOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    let shifts: Graph.ValueID? =
      context.isWanted[1]
      ? try context.unbroadcast(gradient, to: context.shape(of: context.inputs[1])) : nil
    return [gradient, shifts]
  }
}
