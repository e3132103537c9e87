import Graph

extension PoolingOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let (input, gradient) = (context.inputs[0], context.outputGradient)
    let operation = PoolingGradientOperator(self, of: context.shape(of: input))
    switch kind {
    case .maximum: return [try context.add(operation, input, gradient)]
    case .average: return [try context.add(operation, gradient)]
    case .l2:
      // ∂x = x · Σ (∂y / y), summed over the windows that contain x. Windows of zeros contribute nothing.
      let share = try context.compute(
        .operand(0) / .operation(.maximum, .operand(1), 1e-30), of: [gradient, context.output])
      let spread = try context.add(operation, share)
      return [try context.compute(.operand(0) * .operand(1), of: [input, spread])]
    }
  }
}
