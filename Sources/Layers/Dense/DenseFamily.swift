import Engine

extension LayerFamily {
  /// Layers that multiply by matrices, or look rows of them up.
  public static let dense = LayerFamily(
    "Dense",
    [
      InnerProductLayer.self, EmbeddingLayer.self, EmbeddingNDLayer.self, BatchedMatMulLayer.self,
    ])
}
