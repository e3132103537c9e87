import Graph

extension PaddingOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    guard !amounts.isZero else { return [gradient] }
    if case .constant = mode { return [try context.add(CropOperator(amounts: amounts), gradient)] }
    let operation = PaddingGradientOperator(self, of: context.shape(of: context.inputs[0]))
    return [try context.add(operation, gradient)]
  }
}

extension ConstantPadOperator: DifferentiableOperator {
  /// Adds the gradient of the input: the output's gradient without the padding.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    guard
      let amounts = try amounts
        ?? context.graph[context.inputs[context.inputs.count - 1]].constant?.tensor().integers
    else { throw context.unsupported("A padding by amounts that the network computes") }
    let slices: [AxisSlice] = try zip(paddings(shape, amounts), shape.dimensions).map {
      AxisSlice(begin: $0.before, end: $0.before + $1)
    }
    let part = try context.add(SliceStaticOperator(slices: slices), context.outputGradient)
    return context.onlyFirst(part)
  }
}
