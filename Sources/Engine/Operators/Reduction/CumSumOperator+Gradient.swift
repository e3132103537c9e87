import Graph

extension CumSumOperator: DifferentiableOperator {
  /// Adds the gradient of the input: the cumulative sums of the output's gradient, starting from the opposite end of
  /// the axis.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    var back = self
    back.isReversed.toggle()
    let inputs: [Graph.ValueID] = [context.outputGradient] + context.inputs.dropFirst()
    return context.onlyFirst(try context.add(back, to: inputs, outputs: 1)[0])
  }
}
