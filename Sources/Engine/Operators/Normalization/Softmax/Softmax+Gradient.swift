import Graph

extension SoftmaxOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.softmaxGradient(axis: context.shape(of: context.output).rank - 3)]
  }
}

extension SoftmaxNDOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.softmaxGradient(axis: axis)]
  }
}

extension GradientContext {
  /// Adds operators that compute `∂x = y · (∂y − Σ ∂y · y)`, with the sum over the axis.
  fileprivate mutating func softmaxGradient(axis: Int) throws -> Graph.ValueID {
    let products = try compute(.operand(0) * .operand(1), of: [outputGradient, output])
    let sum = try add(ReduceAxesOperator(.sum, axes: [axis], keepsAxes: true), products)
    return try compute(
      .operand(1) * (.operand(0) - .operand(2)), of: [outputGradient, output, sum])
  }
}
