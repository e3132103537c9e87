import Graph

/// The Gram matrix of feature maps. It has one element for each pair of channels: the product of the two channels'
/// values at a pixel, summed over all pixels.
///
///     G[n, i, j] = factor · Σ x[n, i, r, s] · x[n, j, r, s]     over rows r and columns s
///
/// - Input: `[…, C, H, W]`. The leading dimensions together are the batch `N`.
/// - Output: `[N, C, C]`, float32.
///
/// Only style losses add this operator to a graph. No model file contains it.
///
/// **Source:** Gatys, Ecker, Bethge, arXiv:1508.06576. Johnson et al., arXiv:1603.08155, use the factor
/// `1 / (C · H · W)`.
public struct GramMatrixOperator: DifferentiableOperator {
  public static let declaration = OperatorDeclaration(
    "GramMatrix", summary: "products of every two channels, summed over pixels")

  /// The factor by which the sums are multiplied.
  public var factor: Double

  /// Creates an operator that computes Gram matrices and multiplies them by a factor.
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

  /// Adds an operator that computes `∂x = factor · (∂G + ∂Gᵀ) x`.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [
      try context.add(
        GramMatrixGradientOperator(factor: factor), context.inputs[0], context.outputGradient)
    ]
  }

}
