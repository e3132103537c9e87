import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension MeanVarianceNormalizeOperator: SampledOperator {
  /// Literal answers were computed with NumPy.
  public static var samples: [OperatorSample] {
    let two: [(Shape, OperatorSample.Fill)] = [
      ([1, 2, 2, 2], .values([1, 2, 3, 4, 10, 20, 30, 40]))
    ]
    return [
      OperatorSample(
        "mean of a channel", layer(across: false, variance: false), inputs: two,
        expected: [ReferenceTensor([1, 2, 2, 2], [-1.5, -0.5, 0.5, 1.5, -15, -5, 5, 15])],
        tolerance: .accumulation),
      OperatorSample(
        "mean and variance of a sample", layer(across: true, variance: true), inputs: two,
        expected: [
          ReferenceTensor(
            [1, 2, 2, 2],
            [
              -0.92574383, -0.85313647, -0.78052911, -0.70792175, -0.2722776, 0.453796, 1.1798696,
              1.9059432,
            ])
        ], tolerance: .accumulation),
      OperatorSample(
        "mean and variance of channels", layer(across: false, variance: true, epsilon: 1e-3),
        mapping: .rank5, inputs: [[2, 2, 5, 6, 7]], tolerance: .accumulation),
      OperatorSample(
        "mean of samples", layer(across: true, variance: false), inputs: [[3, 4, 5, 3]],
        tolerance: .accumulation),
      OperatorSample(
        "an input of too low a rank", layer(across: true, variance: false), inputs: [[3, 4]],
        failure: "expected three dimensions or more"),
    ]
  }

  private static func layer(across: Bool, variance: Bool, epsilon: Float = 0)
    -> Spec.NeuralNetworkLayer
  {
    Spec.NeuralNetworkLayer(
      .mvn(
        .making {
          $0.acrossChannels = across
          $0.normalizeVariance = variance
          $0.epsilon = epsilon
        }))
  }
}

extension L2NormalizeOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "a sample of length five", layer(0), inputs: [([1, 2, 1, 1], .values([3, 4]))],
        expected: [ReferenceTensor([1, 2, 1, 1], [0.6, 0.8])]),
      OperatorSample(
        "a batch of odd sizes", layer(1e-3), mapping: .rank5, inputs: [[2, 2, 3, 5, 7]],
        tolerance: .accumulation),
      OperatorSample(
        "zeros", layer(0), inputs: [[1, 2, 3, 4]], fill: .values([Double](repeating: 0, count: 24)),
        tolerance: .exact),
      OperatorSample(
        "an input of too low a rank", layer(0), inputs: [[3]],
        failure: "expected three dimensions or more"),
    ]
  }

  private static func layer(_ epsilon: Float) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.l2normalize(.making { $0.epsilon = epsilon }))
  }
}

extension LocalResponseNormalizationOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`local_response_norm`).
  public static var samples: [OperatorSample] {
    let four: [(Shape, OperatorSample.Fill)] = [([1, 4, 1, 1], .values([1, -7, 5, -6]))]
    return [
      OperatorSample(
        "three channels", layer(3, 0.5, 0.75, 2), inputs: four,
        expected: [
          ReferenceTensor([1, 4, 1, 1], [0.17350807, -0.94204584, 0.52217199, -0.92102738])
        ], tolerance: .accumulation),
      OperatorSample(
        "a window of two channels includes the previous channel", layer(2, 0.5, 0.75, 2),
        inputs: four,
        expected: [
          ReferenceTensor([1, 4, 1, 1], [0.54433105, -0.94204584, 0.51898476, -0.7088583])
        ], tolerance: .accumulation),
      OperatorSample(
        "one channel, as in coremltools' tests", layer(1, 2, 3, 8),
        inputs: [([1, 1, 3, 3], .values([Double](repeating: 1, count: 9)))],
        expected: [ReferenceTensor([1, 1, 3, 3], repeating: 1e-3)], tolerance: .accumulation),
      OperatorSample(
        "five of many channels, as AlexNet", layer(5, 1e-4, 0.75, 0), inputs: [[1, 48, 9, 7]],
        fill: .uniform(-50...50), tolerance: .accumulation),
      OperatorSample(
        "no window", layer(0, 1, 1, 1), inputs: [[1, 4, 2, 2]],
        failure: "localSize is 0, expected at least 1 channel"),
    ]
  }

  private static func layer(_ size: UInt64, _ alpha: Float, _ beta: Float, _ k: Float)
    -> Spec.NeuralNetworkLayer
  {
    Spec.NeuralNetworkLayer(
      .lrn(
        .making {
          $0.localSize = size
          $0.alpha = alpha
          $0.beta = beta
          $0.k = k
        }))
  }
}

extension SoftmaxOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2.
  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.softmax(.making { _ in }))
    return [
      OperatorSample(
        "three classes", layer, inputs: [([1, 3, 1, 1], .values([1, 2, 3]))],
        expected: [ReferenceTensor([1, 3, 1, 1], [0.090030573, 0.24472847, 0.66524096])],
        tolerance: .accumulation),
      OperatorSample(
        "a thousand classes in the five-dimensional mapping", layer, mapping: .rank5,
        inputs: [[1, 2, 1000, 1, 1]], fill: .uniform(-8...8), tolerance: .accumulation),
      OperatorSample(
        "every pixel alone", layer, inputs: [[2, 5, 3, 7]], tolerance: .accumulation),
      OperatorSample(
        "large numbers", layer, inputs: [([1, 2, 1, 1], .values([1000, 1000]))],
        expected: [ReferenceTensor([1, 2, 1, 1], [0.5, 0.5])], tolerance: .accumulation),
      OperatorSample(
        "NaN spreads to the channels of its pixel", layer,
        inputs: [([1, 3, 1, 2], .values([1, 0, .nan, 0, 2, 0]))],
        expected: [
          ReferenceTensor([1, 3, 1, 2], [.nan, 1.0 / 3, .nan, 1.0 / 3, .nan, 1.0 / 3])
        ], tolerance: .accumulation),
      OperatorSample(
        "an input of too low a rank", layer, inputs: [[3, 4]],
        failure: "expected three dimensions or more"),
    ]
  }
}

extension SoftmaxNDOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "the last axis", layer(-1), inputs: [([3], .values([1, 2, 3]))],
        expected: [ReferenceTensor([3], [0.090030573, 0.24472847, 0.66524096])],
        tolerance: .accumulation),
      OperatorSample(
        "NaN spreads to its row", layer(-1),
        inputs: [([2, 3], .values([1, .nan, 2, 0, 0, 0]))],
        expected: [ReferenceTensor([2, 3], [.nan, .nan, .nan] + [1.0 / 3, 1.0 / 3, 1.0 / 3])],
        tolerance: .accumulation),
      OperatorSample(
        "NaN spreads to its column", layer(0),
        inputs: [([2, 3], .values([0, .nan, 0, 0, 0, 0]))],
        expected: [ReferenceTensor([2, 3], [0.5, .nan, 0.5, 0.5, .nan, 0.5])],
        tolerance: .accumulation),
      OperatorSample(
        "rows of every length", layer(-1), inputs: [[3, 77]], fill: .uniform(-90...90),
        tolerance: .accumulation),
      OperatorSample(
        "the first axis of many columns", layer(0), inputs: [[5, 150]], tolerance: .accumulation),
      OperatorSample(
        "the first axis", layer(0), inputs: [[4, 3, 5]], tolerance: .accumulation),
      OperatorSample(
        "the channels", layer(1), inputs: [[2, 17, 3, 4]], tolerance: .accumulation),
      OperatorSample(
        "a middle axis of five", layer(-2), inputs: [[2, 3, 2, 6, 3]], tolerance: .accumulation),
      OperatorSample(
        "an axis beyond the rank", layer(2), inputs: [[2, 3]],
        failure: "the axis is 2, expected one of the input's 2 dimensions"),
    ]
  }

  private static func layer(_ axis: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.softmaxND(.making { $0.axis = axis }))
  }
}

extension LayerNormalizationOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`layer_norm`).
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "the last dimension", layer([3], [1, 2, 3], [0, 1, -1]),
        inputs: [([2, 3], .values([1, 2, 4, 0, 0, 3]))],
        expected: [
          ReferenceTensor(
            [2, 3], [-1.0690415, 0.46547923, 3.0089057, -0.70710501, -0.41421003, 3.2426301])
        ], tolerance: .accumulation),
      OperatorSample(
        "two dimensions without gamma and beta", layer([5, 7]), inputs: [[2, 3, 5, 7]],
        tolerance: .accumulation),
      OperatorSample(
        "all of a vector", layer([9], [Float](repeating: 2, count: 9)), inputs: [[9]],
        tolerance: .accumulation),
      OperatorSample(
        "another size", layer([4]), inputs: [[2, 3]],
        failure: "expected its last dimensions to be 4"),
      OperatorSample(
        "no dimensions", layer([]), inputs: [[2, 3]],
        failure: "expected one or more positive sizes"),
    ]
  }

  private static func layer(
    _ shape: [Int64], _ gamma: [Float]? = nil, _ beta: [Float]? = nil
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .layerNormalization(
        .making {
          $0.normalizedShape = shape
          $0.eps = 1e-5
          $0.gamma = gamma.map { Spec.WeightParams($0) }
          $0.beta = beta.map { Spec.WeightParams($0) }
        }))
  }
}
