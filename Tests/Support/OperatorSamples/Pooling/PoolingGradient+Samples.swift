import Graph
import Operators

extension PoolingGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func sample(_ name: String, _ pooling: PoolingOperator, of shape: Shape, to pooled: Shape)
      -> OperatorSample
    {
      let gradient: (Shape, OperatorSample.Fill) = (pooled, .uniform(-1...1))
      return OperatorSample(
        name, derived: PoolingGradientOperator(pooling, of: shape),
        inputs: pooling.kind == .maximum ? [(shape, .uniform(-1...1)), gradient] : [gradient],
        tolerance: .accumulation)
    }
    func windows(
      _ kind: PoolingOperator.Kind, _ kernel: Int, stride: Int,
      padding: PoolingOperator.Padding? = nil,
      excludesPadding: Bool = false
    ) -> PoolingOperator {
      PoolingOperator(
        kind, kernelHeight: kernel, kernelWidth: kernel, strideHeight: stride, strideWidth: stride,
        padding: padding ?? .valid(top: 0, bottom: 0, left: 0, right: 0),
        excludesPadding: excludesPadding)
    }
    let padding = PoolingOperator.Padding.valid(top: 1, bottom: 1, left: 1, right: 1)
    return [
      // By hand: the maxima are 6 and 9. Of the three 9 in the second window, the first one gets the gradient.
      OperatorSample(
        "maximum of 2 × 2 windows, one column unused",
        derived: PoolingGradientOperator(
          windows(.maximum, 2, stride: 2), of: [1, 1, 2, 5]),
        inputs: [
          ([1, 1, 2, 5], .values([1, 6, 9, 9, 7, 3, 4, 9, 2, 8])),
          ([1, 1, 1, 2], .values([10, 20])),
        ],
        expected: [ReferenceTensor([1, 1, 2, 5], [0, 10, 20, 0, 0, 0, 0, 0, 0, 0])],
        tolerance: .exact),
      // Computed by hand.
      OperatorSample(
        "mean of overlapping windows",
        derived: PoolingGradientOperator(
          PoolingOperator(.average, kernelHeight: 1, kernelWidth: 2), of: [1, 1, 1, 3]),
        inputs: [([1, 1, 1, 2], .values([2, 4]))],
        expected: [ReferenceTensor([1, 1, 1, 3], [1, 3, 2])]),
      sample(
        "as in VGG-16", windows(.maximum, 2, stride: 2), of: [2, 64, 12, 10], to: [2, 64, 6, 5]),
      sample(
        "as in SqueezeNet",
        windows(.maximum, 3, stride: 2, padding: .includeLastPixel(height: 0, width: 0)),
        of: [2, 80, 14, 13], to: [2, 80, 7, 6]),
      sample(
        "largest, padded, few channels", windows(.maximum, 3, stride: 1, padding: padding),
        of: [1, 3, 7, 9], to: [1, 3, 7, 9]),
      sample(
        "mean, padding counted", windows(.average, 3, stride: 2, padding: padding),
        of: [1, 20, 9, 8], to: [1, 20, 5, 4]),
      sample(
        "mean, padding left out",
        windows(.average, 3, stride: 2, padding: padding, excludesPadding: true),
        of: [1, 20, 9, 8],
        to: [1, 20, 5, 4]),
      sample(
        "mean, gaps between windows", windows(.average, 2, stride: 3), of: [1, 5, 9, 10],
        to: [1, 5, 3, 3]),
      sample("largest of everything", .global(.maximum), of: [2, 17, 5, 6], to: [2, 17, 1, 1]),
      sample("mean of everything", .global(.average), of: [2, 17, 5, 6], to: [2, 17, 1, 1]),
      OperatorSample(
        "another shape",
        derived: PoolingGradientOperator(windows(.average, 2, stride: 2), of: [1, 1, 4, 4]),
        inputs: [([1, 1, 3, 3], .uniform(-1...1))],
        failure: "the gradient is 1 × 1 × 3 × 3, expected 1 × 1 × 2 × 2"),
    ]
  }
}
