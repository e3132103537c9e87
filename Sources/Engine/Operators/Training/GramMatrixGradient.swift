import Graph

/// The gradient of a Gram matrix with respect to the feature maps `x`.
///
///     ∂x[n, i, p] = factor · Σ (∂G[n, i, k] + ∂G[n, k, i]) · x[n, k, p]     over channels k, for each pixel p
///
/// - Inputs: the feature maps `[…, C, H, W]`, and `∂G [N, C, C]`.
/// - Output: the shape of the feature maps.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
///
/// **Source:** see ``GramMatrixOperator``.
public struct GramMatrixGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "GramMatrixGradient",
    summary: "the gradient of a Gram matrix with respect to the features")

  /// The factor of the Gram matrix.
  public var factor: Double

  /// Creates the gradient of Gram matrices with this factor.
  public init(factor: Double) { self.factor = factor }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    let map = try FeatureMap(inputs[0].shape)
    let expected: Shape = [map.batch, map.channels, map.channels]
    guard inputs[1].shape == expected else {
      throw EngineError(
        .invalidInput, "the matrix's gradient is \(inputs[1].shape), expected \(expected).")
    }
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let features = inputs[0].values
    let gradient = inputs[1].values
    var result = ReferenceTensor(inputs[0].shape)
    for n in 0..<map.batch {
      for i in 0..<map.channels {
        for pixel in 0..<map.area {
          var sum: Double = 0
          for k in 0..<map.channels {
            let row: Int = (n * map.channels + i) * map.channels + k
            let column: Int = (n * map.channels + k) * map.channels + i
            sum += (gradient[row] + gradient[column]) * features[map.offset(n, k, 0, 0) + pixel]
          }
          result.values[map.offset(n, i, 0, 0) + pixel] = factor * sum
        }
      }
    }
    return [result]
  }

}
