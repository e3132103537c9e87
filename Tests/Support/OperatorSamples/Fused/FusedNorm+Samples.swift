import CPUBackend
import Graph
import Operators

extension FusedNorm: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "statistics as inputs", derived: reader,
        inputs: [
          ([2, 6, 50, 64], .uniform(-3...5)), ([6], .uniform(0.5...1.5)), ([6], .uniform(-1...1)),
          ([2, 6, 52, 64], .uniform(-1...1)), ([2, 3, 2, 6], .uniform(500...900)),
        ],
        tolerance: .accumulation),
      OperatorSample(
        "statistics with a different number of blocks", derived: reader,
        inputs: [
          ([1, 6, 5, 4], .uniform(-3...5)), ([6], .uniform(0.5...1.5)), ([6], .uniform(-1...1)),
          ([1, 6, 6, 4], .uniform(-1...1)), ([1, 2, 2, 6], .uniform(0...1)),
        ],
        failure: "the statistics are 1 × 2 × 2 × 6, expected 1 × 1 × 2 × 6 of an instance norm"),
      // The instance norm's literal answer (`BatchNormOperator.samples`), where it is positive.
      OperatorSample(
        "a ReLU",
        derived: FusedNorm(
          BatchNormOperator(channels: 2, statistics: .instance), epilogue: [.activation(.reLU)]),
        inputs: [
          ([1, 2, 2, 2], .values([1, 2, 3, 4, 10, 20, 30, 40])), ([2], .values([1, 2])),
          ([2], .values([0.5, -1])),
        ],
        expected: [
          ReferenceTensor(
            [1, 2, 2, 2], [0, 0.052788193, 0.94721181, 1.8416354, 0, 0, 0, 1.6832815])
        ], tolerance: .accumulation),
      OperatorSample(
        "a residual, then a ReLU",
        derived: FusedNorm(norm, epilogue: reader.epilogue + [.activation(.reLU)]),
        inputs: [
          ([1, 6, 5, 4], .uniform(-3...5)), ([6], .uniform(0.5...1.5)), ([6], .uniform(-1...1)),
          ([1, 6, 6, 4], .uniform(-1...1)),
        ],
        tolerance: .accumulation),
      OperatorSample(
        "statistics of a norm with given mean and variance",
        derived: FusedNorm(
          BatchNormOperator(channels: 1, statistics: .given), readsStatistics: true),
        inputs: [
          ([1, 1, 2, 2], .uniform(-3...5)), ([1], .uniform(0.5...1.5)), ([1], .uniform(-1...1)),
          ([1], .uniform(0.5...1.5)), ([1], .uniform(0.5...1.5)), ([1, 1, 2, 1], .uniform(0...1)),
        ],
        failure: "the statistics are 1 × 1 × 2 × 1, expected 1 × 1 × 2 × 1 of an instance norm"),
    ]
  }

  private static let norm = BatchNormOperator(channels: 6, statistics: .instance, epsilon: 1e-3)

  /// An instance norm with a residual. It reads its statistics from an input.
  private static let reader = FusedNorm(
    norm, epilogue: [.residual(CropOperator.Offset(top: 1))], readsStatistics: true)
}
