/// How the style losses of the layers are made comparable. Gₗ is the Gram matrix of the paintings at a layer, and G is
/// that of the picture. Both matrices are divided by C · H · W (``StyleTargets``).
///
/// In both formulas, a picture whose features are all 0 (G = 0) has a style loss of Σ wₗ. So the same strength of the
/// style has the same meaning in both formulas and for every painting.
public enum StyleNormalization: String, Sendable, Hashable, Codable, CaseIterable {
  /// Each layer relative to its own target: `‖G − Gₗ‖² / ‖Gₗ‖²`. All layers count equally.
  case perLayer
  /// The mean squared difference, as in the papers, divided by the same factor in all layers:
  ///
  ///     styleₗ = mean (G − Gₗ)² · Σ w / Σ w · mean Gₗ²
  ///
  /// The sums are over all layers, so G = 0 gives Σ wₗ · styleₗ = Σ w. The shares of the layers stay those of Johnson
  /// et al., arXiv:1603.08155, because the factor is the same in all layers. With VGG-16 and eight paintings of the
  /// gallery at 256 pixels, the shares of relu1_2, relu2_2, relu3_3 and relu4_3 are 0.23–0.43, 0.43–0.52, 0.11–0.26 and
  /// 0.0007–0.0026: the deep layers have small features and hardly count.
  case perPainting
}

extension StyleTargets {
  /// Returns the factor by which ‖G − Gₗ‖² of a layer is multiplied to get its style loss.
  ///
  /// - Parameter terms: All layers of the style loss, with their weights.
  func factor(
    of layer: String, among terms: [PerceptualLoss.Term], _ normalization: StyleNormalization
  ) -> Double {
    switch normalization {
    case .perLayer:
      return grams[layer].map { 1 / max(squaredNorm($0), 1e-30) } ?? 0
    case .perPainting:
      let count = Double(grams[layer]?.values.count ?? 1)
      let weights: Double = terms.reduce(0) { $0 + $1.weight }
      let squares: Double = terms.reduce(0) { sum, term in
        guard let gram = grams[term.layer] else { return sum }
        return sum + term.weight * squaredNorm(gram) / Double(gram.values.count)
      }
      return weights / (max(squares, 1e-30) * count)
    }
  }
}
