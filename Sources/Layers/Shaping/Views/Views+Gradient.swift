import Engine

/// A layer that reads the values of its first input in the same order under another shape.
public protocol ReshapingLayer: DifferentiableLayer {}

extension ReshapingLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    return context.onlyFirst(try context.reshape(context.outputGradient, to: shape))
  }
}

extension ReshapeStaticLayer: ReshapingLayer {}
extension ReshapeLikeLayer: ReshapingLayer {}
extension ReshapeDynamicLayer: ReshapingLayer {}
extension RankPreservingReshapeLayer: ReshapingLayer {}
extension ExpandDimsLayer: ReshapingLayer {}
extension SqueezeLayer: ReshapingLayer {}
extension FlattenTo2DLayer: ReshapingLayer {}
