import Graph

/// An operator that gives its first input another shape and keeps the values in the same order.
public protocol ReshapingOperator: DifferentiableOperator {}

extension ReshapingOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    return context.onlyFirst(try context.reshape(context.outputGradient, to: shape))
  }
}

extension ReshapeStaticOperator: ReshapingOperator {}
extension ReshapeLikeOperator: ReshapingOperator {}
extension ReshapeDynamicOperator: ReshapingOperator {}
extension RankPreservingReshapeOperator: ReshapingOperator {}
extension ExpandDimsOperator: ReshapingOperator {}
extension SqueezeOperator: ReshapingOperator {}
extension FlattenTo2DOperator: ReshapingOperator {}
