import Graph

/// An operator whose outputs are places, shapes or numbers that do not follow its inputs' values smoothly:
/// its gradient is zero wherever it has one.
public protocol FlatOperator: DifferentiableOperator {}

extension FlatOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.nothing
  }
}

extension ArgSortOperator: FlatOperator {}
extension FillLikeOperator: FlatOperator {}
extension GetShapeOperator: FlatOperator {}
