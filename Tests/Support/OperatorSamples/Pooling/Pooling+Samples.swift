import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension PoolingOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`avg_pool2d`, `max_pool2d` and `lp_pool2d`). Caffe's rule for the
  /// output size corresponds to PyTorch's `ceil_mode`.
  public static var samples: [OperatorSample] {
    windows + paddings + globals + failures + ceilings
  }

  /// Samples that compute the number of windows as ML Programs do. The answers are computed by hand.
  private static let ceilings: [OperatorSample] = [
    OperatorSample(
      "a last window without any pixel, without padding",
      derived: PoolingOperator(
        .maximum, kernelHeight: 1, kernelWidth: 2, strideHeight: 4, strideWidth: 2,
        padding: .ceiling(height: 0, width: 1)),
      inputs: [([1, 1, 2, 3], .values([1, 2, 3, 4, 5, 6]))],
      expected: [ReferenceTensor([1, 1, 2, 2], [1, 3, 0, 0])], tolerance: .exact),
    OperatorSample(
      "an average that includes the last pixel",
      derived: PoolingOperator(
        .average, kernelHeight: 3, kernelWidth: 3, strideHeight: 2, strideWidth: 2,
        padding: .ceiling(height: 1, width: 1)),
      inputs: [([2, 5, 8, 6], .uniform(-1...1))]),
  ]

  private static func layer(
    _ type: Spec.PoolingLayerParams.PoolingType, kernel: [UInt64] = [], stride: [UInt64] = [],
    padding: Spec.PoolingLayerParams.OneOfPoolingPaddingType? = nil, excludes: Bool = false,
    global: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .pooling(
        .making {
          $0.type = type
          $0.kernelSize = kernel
          $0.stride = stride
          $0.poolingPaddingType = padding
          $0.avgPoolExcludePadding = excludes
          $0.globalPooling = global
        }))
  }

  private static func edges(_ amounts: [(UInt64, UInt64)])
    -> Spec.PoolingLayerParams.OneOfPoolingPaddingType
  {
    .valid(
      .making {
        $0.paddingAmounts = .making {
          $0.borderAmounts = amounts.map { (amount: (UInt64, UInt64)) in
            .making {
              $0.startEdgeSize = amount.0
              $0.endEdgeSize = amount.1
            }
          }
        }
      })
  }

  private static func same(_ mode: Spec.SamePadding.SamePaddingMode)
    -> Spec.PoolingLayerParams.OneOfPoolingPaddingType
  {
    .same(.making { $0.asymmetryMode = mode })
  }

  private static func lastPixel(_ amounts: [UInt64])
    -> Spec.PoolingLayerParams.OneOfPoolingPaddingType
  {
    .includeLastPixel(.making { $0.paddingAmounts = amounts })
  }

  /// Returns the values 0, 1, 2, … as an image with one channel.
  private static func counting(_ height: Int, _ width: Int) -> [(Shape, OperatorSample.Fill)] {
    [([1, 1, height, width], .values((0..<height * width).map(Double.init)))]
  }

  private static var windows: [OperatorSample] {
    [
      OperatorSample(
        "maximum of 2 × 2, as VGG", layer(.max, kernel: [2, 2], stride: [2, 2]),
        inputs: [[1, 64, 14, 14]], tolerance: .exact),
      OperatorSample(
        "a maximum is NaN if a pixel is NaN", layer(.max, kernel: [1, 2], stride: [1, 1]),
        inputs: [([1, 1, 1, 6], .values([3, .nan, 9, 1, 2, .nan]))],
        expected: [ReferenceTensor([1, 1, 1, 5], [.nan, .nan, 9, 2, .nan])], tolerance: .exact),
      OperatorSample(
        "a maximum of many channels", layer(.max, kernel: [3, 2], stride: [2, 1]),
        inputs: [[2, 83, 9, 8]], tolerance: .exact),
      OperatorSample(
        "defaults of kernel and stride", layer(.max), inputs: [[2, 3, 7, 9]], tolerance: .exact),
      OperatorSample(
        "average in the five-dimensional mapping",
        layer(.average, kernel: [3, 2], stride: [2, 1]), mapping: .rank5,
        inputs: [[2, 1, 5, 9, 7]]),
      OperatorSample(
        "L2 norm", layer(.l2, kernel: [2, 2], stride: [2, 2]),
        inputs: [
          (
            [1, 1, 4, 4],
            .values([0, 1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15, 18, 19, 20, 21].map(Double.init))
          )
        ],
        expected: [
          ReferenceTensor([1, 1, 2, 2], [9.2736185, 12.569805, 31.591138, 35.524639])
        ]),
      OperatorSample(
        "L2 norm of an odd size with padding",
        layer(.l2, kernel: [3, 5], stride: [2, 3], padding: edges([(1, 0), (2, 1)])),
        inputs: [[1, 17, 11, 13]]),
      OperatorSample(
        "rank three", layer(.average, kernel: [2, 2], stride: [1, 1]), inputs: [[4, 6, 5]]),
    ]
  }

  private static var paddings: [OperatorSample] {
    [
      OperatorSample(
        "asymmetric padding, counted",
        layer(.average, kernel: [3, 3], stride: [2, 2], padding: edges([(0, 1), (1, 0)])),
        inputs: [[1, 18, 10, 11]]),
      OperatorSample(
        "asymmetric padding, not counted",
        layer(
          .average, kernel: [3, 3], stride: [2, 2], padding: edges([(0, 1), (1, 0)]),
          excludes: true),
        inputs: [[1, 18, 10, 11]]),
      OperatorSample(
        "same padding, extra at bottom and right",
        layer(.average, kernel: [2, 4], stride: [1, 3], padding: same(.bottomRightHeavy)),
        inputs: [[1, 5, 7, 8]]),
      OperatorSample(
        "same padding, extra at top and left, not counted",
        layer(
          .average, kernel: [2, 4], stride: [1, 3], padding: same(.topLeftHeavy), excludes: true),
        inputs: [[1, 5, 7, 8]]),
      OperatorSample(
        "same padding, maximum of negative numbers",
        layer(.max, kernel: [3, 3], stride: [2, 2], padding: same(.topLeftHeavy)),
        inputs: [[1, 16, 9, 10]], fill: .uniform(-2 ... -1), tolerance: .exact),
      OperatorSample(
        "last pixel included, average of Caffe's rule",
        layer(.average, kernel: [3, 3], stride: [2, 2], padding: lastPixel([1, 1])),
        inputs: counting(6, 6),
        expected: [
          ReferenceTensor(
            [1, 1, 4, 4],
            [
              1.5555556, 3.3333333, 4.6666667, 2.6666667, 8.3333333, 14, 16, 8.5, 16.333333, 26,
              28, 14.5, 10.166667, 16, 17, 8.75,
            ])
        ]),
      OperatorSample(
        "last pixel included, padding not counted",
        layer(
          .average, kernel: [3, 3], stride: [2, 2], padding: lastPixel([1, 1]), excludes: true),
        inputs: counting(6, 6),
        expected: [
          ReferenceTensor(
            [1, 1, 4, 4], [3.5, 5, 7, 8, 12.5, 14, 16, 17, 24.5, 26, 28, 29, 30.5, 32, 34, 35])
        ]),
      OperatorSample(
        "last pixel included without padding, as SqueezeNet",
        layer(.max, kernel: [3, 3], stride: [2, 2], padding: lastPixel([])),
        inputs: counting(6, 6),
        expected: [ReferenceTensor([1, 1, 3, 3], [14, 16, 17, 26, 28, 29, 32, 34, 35])],
        tolerance: .exact),
      OperatorSample(
        "last pixel included, last window dropped",
        layer(.average, kernel: [3, 3], stride: [3, 3], padding: lastPixel([1, 1])),
        inputs: counting(5, 5),
        expected: [ReferenceTensor([1, 1, 2, 2], [1.3333333, 3.6666667, 10.333333, 18])]),
      OperatorSample(
        "last pixel included, many channels",
        layer(.average, kernel: [3, 3], stride: [2, 2], padding: lastPixel([0, 0])),
        inputs: [[1, 33, 8, 8]]),
    ]
  }

  private static var globals: [OperatorSample] {
    [
      OperatorSample(
        "global average, as SqueezeNet", layer(.average, global: true), inputs: [[1, 100, 13, 13]],
        tolerance: .accumulation),
      OperatorSample(
        "global maximum of a batch", layer(.max, global: true), inputs: [[2, 7, 5, 3]],
        tolerance: .exact),
      OperatorSample(
        "global maximum with NaN", layer(.max, global: true),
        inputs: [([1, 2, 1, 3], .values([1, .nan, 2, 4, 6, 5]))],
        expected: [ReferenceTensor([1, 2, 1, 1], [.nan, 6])], tolerance: .exact),
      OperatorSample(
        "global L2 norm", layer(.l2, global: true), inputs: [[1, 9, 6, 7]],
        tolerance: .accumulation),
      OperatorSample(
        "global average in the five-dimensional mapping", layer(.average, global: true),
        mapping: .rank5, inputs: [[3, 2, 4, 5, 6]], tolerance: .accumulation),
    ]
  }

  private static var failures: [OperatorSample] {
    [
      OperatorSample(
        "kernel larger than the image", layer(.max, kernel: [5, 5], stride: [1, 1]),
        inputs: [[1, 3, 4, 8]], failure: "the input is 4 pixels high with 0 of padding"),
      OperatorSample(
        "an input of too low a rank", layer(.max), inputs: [[4, 4]],
        failure: "expected three dimensions or more"),
      OperatorSample(
        "kernel of three sizes", layer(.max, kernel: [3, 3, 3]), inputs: [[1, 3, 8, 8]],
        failure: "kernelSize has 3 values, expected 2"),
      OperatorSample(
        "stride of zero", layer(.max, kernel: [3, 3], stride: [0, 1]), inputs: [[1, 3, 8, 8]],
        failure: "stride is 0 × 1, expected at least 1 × 1"),
      OperatorSample(
        "padding with one entry", layer(.max, padding: edges([(1, 1)])), inputs: [[1, 3, 8, 8]],
        failure: "paddingAmounts has 1 entries, expected 2"),
    ]
  }
}
