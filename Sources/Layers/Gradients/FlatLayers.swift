import Engine

/// A layer whose outputs are places, shapes or numbers that do not follow its inputs' values smoothly:
/// its gradient is zero wherever it has one.
public protocol FlatLayer: DifferentiableLayer {}

extension FlatLayer {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    context.nothing
  }
}

extension ArgMaxLayer: FlatLayer {}
extension ArgMinLayer: FlatLayer {}
extension ArgSortLayer: FlatLayer {}
extension EmbeddingLayer: FlatLayer {}
extension EmbeddingNDLayer: FlatLayer {}
extension FillLikeLayer: FlatLayer {}
extension GetShapeLayer: FlatLayer {}
