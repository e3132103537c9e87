import Engine

extension PaddingLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    guard !amounts.isZero else { return [gradient] }
    if case .constant = mode { return [try context.add(CropLayer(amounts: amounts), gradient)] }
    let layer = PaddingGradientLayer(self, of: context.shape(of: context.inputs[0]))
    return [try context.add(layer, gradient)]
  }
}

extension ConstantPadLayer: DifferentiableLayer {
  /// The part of the gradient that stands at the input's place.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    guard
      let amounts = amounts
        ?? context.graph[context.inputs[context.inputs.count - 1]].constant?.integers
    else { throw context.unsupported("A padding by amounts that the network computes") }
    let slices: [AxisSlice] = try zip(borders(shape, amounts), shape.dimensions).map {
      AxisSlice(begin: $0.before, end: $0.before + $1)
    }
    let part = try context.add(SliceStaticLayer(slices: slices), context.outputGradient)
    return context.onlyFirst(part)
  }
}
