import Graph

extension OperatorFamily {
  /// Operators that multiply by a matrix, and operators that look up columns of a matrix.
  public static let dense = OperatorFamily(
    "Dense",
    [
      InnerProductOperator.self, EmbeddingOperator.self, EmbeddingNDOperator.self,
      BatchedMatMulOperator.self, ByteProductOperator.self,
    ])
}
