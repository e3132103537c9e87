import Graph

extension [LayerReader] {
  /// Matrix products and embeddings.
  package static let dense: [LayerReader] = [
    .innerProduct, .embedding, .embeddingND, .batchedMatMul,
  ]
}
