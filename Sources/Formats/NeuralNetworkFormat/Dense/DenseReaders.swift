import Graph

extension [LayerReader] {
  /// The layers that multiply by matrices, or look rows of them up.
  package static let dense: [LayerReader] = [
    .innerProduct, .embedding, .embeddingND, .batchedMatMul,
  ]
}
