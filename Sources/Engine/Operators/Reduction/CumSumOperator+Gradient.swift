import Graph

extension CumSumOperator: DifferentiableOperator {
  /// Running sums from the other end.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    var back = self
    back.isReversed.toggle()
    let inputs: [Graph.ValueID] = [context.outputGradient] + context.inputs.dropFirst()
    return context.onlyFirst(try context.add(back, to: inputs, outputs: 1)[0])
  }
}
