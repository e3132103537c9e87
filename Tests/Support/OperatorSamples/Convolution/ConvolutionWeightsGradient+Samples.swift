import Graph
import Operators

extension ConvolutionWeightsGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    typealias Pair = ConvolutionOperator.Pair
    func sample(
      _ name: String, _ weights: Shape, groups: Int = 1, stride: Int = 1, dilation: Int = 1,
      top: Int = 0, left: Int = 0, large: Shape, small: Shape
    ) -> OperatorSample {
      OperatorSample(
        name,
        derived: ConvolutionWeightsGradientOperator(
          weightShape: weights, groups: groups, stride: Pair(stride, stride),
          dilation: Pair(dilation, dilation), top: top, left: left),
        inputs: [(large, .uniform(-1...1)), (small, .uniform(-1...1))], tolerance: .accumulation)
    }
    let one = ConvolutionWeightsGradientOperator(
      weightShape: [1, 1, 2, 2], groups: 1, stride: Pair(1, 1), dilation: Pair(1, 1), top: 0,
      left: 0)
    return [
      // By hand: a weight's gradient is the sum of the four pixels that the weight is multiplied with, each multiplied
      // by the gradient of the output. For example, 1 · 1 + 10 · 2 + 100 · 4 + 1000 · 5 = 5421.
      OperatorSample(
        "two by two", derived: one,
        inputs: [
          ([1, 1, 3, 3], .values([1, 2, 3, 4, 5, 6, 7, 8, 9])),
          ([1, 1, 2, 2], .values([1, 10, 100, 1000])),
        ],
        expected: [ReferenceTensor([1, 1, 2, 2], [5421, 6532, 8754, 9865])],
        tolerance: .accumulation),
      sample(
        "32 → 48, batch of two, padded", [48, 32, 3, 3], top: 1, left: 1, large: [2, 32, 9, 7],
        small: [2, 48, 9, 7]),
      sample(
        "9 × 9 from 3 channels", [32, 3, 9, 9], top: 4, left: 4, large: [1, 3, 13, 12],
        small: [1, 32, 13, 12]),
      sample(
        "9 × 9 to 3 channels", [3, 32, 9, 9], top: 4, left: 4, large: [2, 32, 13, 12],
        small: [2, 3, 13, 12]),
      sample(
        "valid, to 3 channels", [3, 16, 5, 5], large: [1, 16, 12, 13], small: [1, 3, 8, 9]),
      sample(
        "stride 2", [32, 16, 3, 3], stride: 2, top: 1, left: 1, large: [2, 16, 12, 10],
        small: [2, 32, 6, 5]),
      sample(
        "dilation", [16, 16, 3, 3], dilation: 2, large: [1, 16, 11, 9], small: [1, 16, 7, 5]),
      sample(
        "two groups", [8, 3, 3, 3], groups: 2, large: [1, 6, 8, 8], small: [1, 8, 6, 6]),
      sample(
        "rows of 40 pixels", [32, 16, 3, 3], top: 1, left: 1, large: [2, 16, 5, 40],
        small: [2, 32, 5, 40]),
      sample(
        "stride 2, rows of 33 pixels", [20, 24, 4, 3], stride: 2, top: 1, left: 0,
        large: [1, 24, 9, 67], small: [1, 20, 4, 33]),
      sample(
        "32 → 64, stride 2, many pixels", [64, 32, 3, 3], stride: 2, top: 1, left: 1,
        large: [2, 32, 42, 40], small: [2, 64, 21, 20]),
      sample(
        "9 × 9 from 3 channels, many pixels", [32, 3, 9, 9], top: 4, left: 4,
        large: [2, 3, 33, 32], small: [2, 32, 33, 32]),
      sample(
        "9 × 9 to 3 channels, many pixels", [3, 32, 9, 9], top: 4, left: 4,
        large: [2, 32, 33, 32], small: [2, 3, 33, 32]),
      sample(
        "1 × 1, many pixels", [64, 48, 1, 1], large: [3, 48, 25, 26], small: [3, 64, 25, 26]),
      sample("1 × 1", [24, 20, 1, 1], large: [2, 20, 5, 6], small: [2, 24, 5, 6]),
      OperatorSample(
        "other channels", derived: one,
        inputs: [([1, 2, 3, 3], .uniform(-1...1)), ([1, 1, 2, 2], .uniform(-1...1))],
        failure: "expected 1 and 1 channels and the same batch"),
    ]
  }
}
