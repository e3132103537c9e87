import Engine

extension PermuteLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let order: [Int] = sources(rank: context.shape(of: context.inputs[0]).rank)
    return [try context.add(TransposeLayer(axes: order.inverted), context.outputGradient)]
  }
}

extension TransposeLayer: DifferentiableLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.add(TransposeLayer(axes: axes.inverted), context.outputGradient)]
  }
}
