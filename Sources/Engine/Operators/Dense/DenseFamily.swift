import Graph

extension OperatorFamily {
  /// Operators that multiply by matrices, or look rows of them up.
  public static let dense = OperatorFamily(
    "Dense",
    [
      InnerProductOperator.self, EmbeddingOperator.self, EmbeddingNDOperator.self,
      BatchedMatMulOperator.self, ByteProductOperator.self,
    ])
}
