import CPUBackend
import Graph
import Operators

extension FusedLayerNorm: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`layer_norm`, then `half`).
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "the last dimension, rounded",
        derived: FusedLayerNorm(
          LayerNormalizationOperator(normalizedShape: [3], hasGamma: true, hasBeta: true)),
        inputs: [
          ([2, 3], .values([1, 2, 4, 0, 0, 3])), ([3], .values([1, 2, 3])),
          ([3], .values([0, 1, -1])),
        ],
        expected: [
          ReferenceTensor(
            [2, 3],
            [-1.0693359375, 0.465576171875, 3.009765625, -0.70703125, -0.414306640625, 3.2421875])
        ], tolerance: .accumulation),
      OperatorSample(
        "without factors, rounded",
        derived: FusedLayerNorm(LayerNormalizationOperator(normalizedShape: [5])),
        inputs: [([8, 5], .uniform(-1...1))], tolerance: .accumulation),
    ]
  }
}
