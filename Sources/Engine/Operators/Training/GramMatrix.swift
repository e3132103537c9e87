import Graph

/// The Gram matrix of feature maps: how much every two channels fire together, wherever they do.
///
///     G[n, i, j] = factor · Σ x[n, i, y, x] · x[n, j, y, x]
///
/// - Input: `[…, C, H, W]`; leading dimensions are batch `N`. Output: `[N, C, C]`, float32.
///
/// Made by losses; no model holds it.
///
/// **Source:** Gatys, Ecker, Bethge, arXiv:1508.06576; with the factor `1 / (C · H · W)` Johnson et al.,
/// arXiv:1603.08155.
public struct GramMatrixOperator: DifferentiableOperator {
  public static let declaration = OperatorDeclaration(
    "GramMatrix", summary: "products of every two channels, summed over pixels")

  /// What the sums are multiplied by.
  public var factor: Double

  /// Gram matrices with a factor.
  public init(factor: Double) { self.factor = factor }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let map = try FeatureMap(OperatorInput.only(inputs).shape)
    return [TensorType([map.batch, map.channels, map.channels])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let features = inputs[0].values
    var result = ReferenceTensor([map.batch, map.channels, map.channels])
    result.shape.forEachIndex { index, position in
      let left: Int = map.offset(index[0], index[1], 0, 0)
      let right: Int = map.offset(index[0], index[2], 0, 0)
      var sum: Double = 0
      for pixel in 0..<map.area { sum += features[left + pixel] * features[right + pixel] }
      result.values[position] = factor * sum
    }
    return [result]
  }

  /// `∂x = factor · (∂G + ∂Gᵀ) x`.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [
      try context.add(
        GramMatrixGradientOperator(factor: factor), context.inputs[0], context.outputGradient)
    ]
  }

}
