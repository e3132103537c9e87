import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension BatchNormOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`batch_norm` and `instance_norm`).
  public static var samples: [OperatorSample] {
    let two: [(Shape, OperatorSample.Fill)] = [
      ([1, 2, 2, 2], .values([1, 2, 3, 4, 10, 20, 30, 40]))
    ]
    return [
      OperatorSample(
        "the model's statistics",
        layer(
          2, gamma: [1, 2], beta: [0.5, -1], mean: [2, 20], variance: [4, 100], epsilon: 0),
        inputs: two,
        expected: [
          ReferenceTensor(
            [1, 2, 2, 2], [6.2499883e-07, 0.5, 0.99999938, 1.4999988, -3, -1, 1, 3])
        ]),
      OperatorSample(
        "instance norm", layer(2, gamma: [1, 2], beta: [0.5, -1], computes: true, instance: true),
        inputs: two,
        expected: [
          ReferenceTensor(
            [1, 2, 2, 2],
            [
              -0.84163542, 0.052788193, 0.94721181, 1.8416354, -3.6832815, -1.8944272,
              -0.10557284, 1.6832815,
            ])
        ], tolerance: .accumulation),
      OperatorSample(
        "statistics of the batch, no gamma and beta", layer(1, computes: true),
        inputs: [([2, 1, 2, 2], .values([1, 2, 3, 4, 5, 6, 7, 8]))],
        expected: [
          ReferenceTensor(
            [2, 1, 2, 2],
            [
              -1.5275238, -1.0910884, -0.65465305, -0.21821768, 0.21821768, 0.65465305, 1.0910884,
              1.5275238,
            ])
        ], tolerance: .accumulation),
      OperatorSample(
        "batch norm of an odd number of channels", given(19), inputs: [[2, 19, 5, 7]]),
      OperatorSample(
        "batch norm in the five-dimensional mapping", given(3), mapping: .rank5,
        inputs: [[2, 2, 3, 4, 5]]),
      OperatorSample(
        "instance norm as in style networks",
        layer(
          32, gamma: floats(32, 1), beta: floats(32, 2), computes: true, instance: true,
          epsilon: 1e-3),
        inputs: [[1, 32, 40, 40]], fill: .uniform(-3...5), tolerance: .accumulation),
      OperatorSample(
        "instance norm of a batch of odd sizes", layer(5, computes: true, instance: true),
        mapping: .rank5, inputs: [[2, 2, 5, 7, 9]], tolerance: .accumulation),
      OperatorSample(
        "gamma and beta as inputs",
        derived: BatchNormOperator(channels: 6, statistics: .instance, epsilon: 1e-3),
        inputs: [
          ([2, 6, 5, 4], .uniform(-3...5)), ([6], .uniform(0.5...1.5)), ([6], .uniform(-1...1)),
        ],
        tolerance: .accumulation),
      OperatorSample(
        "all parameters as inputs",
        derived: BatchNormOperator(channels: 3, statistics: .given, epsilon: 1e-3),
        inputs: [
          ([2, 3, 5, 4], .uniform(-3...5)), ([3], .uniform(0.5...1.5)), ([3], .uniform(-1...1)),
          ([3], .uniform(0.5...1.5)), ([3], .uniform(0.5...1.5)),
        ],
        tolerance: .accumulation),
      OperatorSample(
        "another number of channels", given(3), inputs: [[1, 4, 2, 2]],
        failure: "the input has 4 channels (1 × 4 × 2 × 2), expected 3"),
      OperatorSample(
        "no mean", layer(3, gamma: floats(3, 1), beta: floats(3, 2), variance: [1, 1, 1]),
        inputs: [[1, 3, 2, 2]], failure: "mean is missing, expected 3 values"),
      OperatorSample(
        "an input of too low a rank", given(3), inputs: [[3, 3]],
        failure: "expected three dimensions or more"),
    ]
  }

  private static func floats(_ count: Int, _ seed: UInt64) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in Float(generator.uniform(0.5...1.5)) }
  }

  private static func given(_ channels: Int) -> Spec.NeuralNetworkLayer {
    layer(
      channels, gamma: floats(channels, 1), beta: floats(channels, 2), mean: floats(channels, 3),
      variance: floats(channels, 4), epsilon: 1e-4)
  }

  private static func layer(
    _ channels: Int, gamma: [Float]? = nil, beta: [Float]? = nil, mean: [Float]? = nil,
    variance: [Float]? = nil, computes: Bool = false, instance: Bool = false, epsilon: Float = 0
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .batchnorm(
        .making {
          $0.channels = UInt64(channels)
          $0.computeMeanVar = computes
          $0.instanceNormalization = instance
          $0.epsilon = epsilon
          $0.gamma = gamma.map { Spec.WeightParams($0) }
          $0.beta = beta.map { Spec.WeightParams($0) }
          $0.mean = mean.map { Spec.WeightParams($0) }
          $0.variance = variance.map { Spec.WeightParams($0) }
        }))
  }
}
