import Graph

/// An operator whose outputs are indices, shapes or piecewise constant numbers. The gradient of the operator is zero
/// wherever it exists.
public protocol FlatOperator: DifferentiableOperator {}

extension FlatOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.nothing
  }
}

extension ArgSortOperator: FlatOperator {}
extension FillLikeOperator: FlatOperator {}
extension GetShapeOperator: FlatOperator {}
