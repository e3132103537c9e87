import Graph

extension OperatorFamily {
  /// Layers that multiply by matrices, or look rows of them up.
  public static let dense = OperatorFamily(
    "Dense",
    [
      InnerProductOperator.self, EmbeddingOperator.self, EmbeddingNDOperator.self,
      BatchedMatMulOperator.self,
    ])
}
