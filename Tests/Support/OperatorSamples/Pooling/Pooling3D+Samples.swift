import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension Pooling3DOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`avg_pool3d`).
  public static var samples: [OperatorSample] {
    let counting: [(Shape, OperatorSample.Fill)] = [
      ([1, 1, 2, 2, 2], .values((0..<8).map(Double.init)))
    ]
    return lowerSamples + [
      OperatorSample(
        "average, padding counted", layer(.average, kernel: 2, stride: 2, padding: 1),
        inputs: counting,
        expected: [
          ReferenceTensor([1, 1, 2, 2, 2], [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875])
        ]),
      OperatorSample(
        "average, padding not counted",
        layer(.average, kernel: 2, stride: 2, padding: 1, excludes: true), inputs: counting,
        expected: [ReferenceTensor([1, 1, 2, 2, 2], [0, 1, 2, 3, 4, 5, 6, 7])]),
      OperatorSample(
        "maximum with same padding", layer(.max, kernel: 3, stride: 2, type: .same),
        inputs: [[2, 3, 5, 4, 6]], tolerance: .exact),
      OperatorSample(
        "maximum without padding", layer(.max, kernel: 2, stride: 1, type: .valid),
        inputs: [[1, 2, 4, 3, 5]], tolerance: .exact),
      OperatorSample(
        "maximum of wide rows", layer(.max, kernel: 3, stride: 1, padding: 1),
        inputs: [[2, 5, 4, 9, 133]], tolerance: .exact),
      OperatorSample(
        "average of wide rows", layer(.average, kernel: 3, stride: 2, type: .same),
        inputs: [[2, 5, 7, 9, 133]]),
      OperatorSample(
        "average, windows beyond the padding",
        layer(.average, kernel: 5, stride: 3, padding: 2, excludes: true),
        inputs: [[1, 3, 6, 8, 40]]),
      OperatorSample(
        "padding wider than the kernel", layer(.max, kernel: 2, stride: 2, padding: 3),
        inputs: [[1, 2, 3, 4, 3]], tolerance: .exact),
      OperatorSample(
        "not-a-number wins", layer(.max, kernel: 2, stride: 1, type: .valid),
        inputs: [([1, 1, 2, 2, 3], .values([1, 2, 3, 4, .nan, 6, 7, 8, 9, 10, 11, -.infinity]))],
        expected: [ReferenceTensor([1, 1, 1, 1, 2], [.nan, .nan])], tolerance: .exact),
      OperatorSample(
        "kernel larger than the volume", layer(.max, kernel: 4, stride: 1, type: .valid),
        inputs: [[1, 1, 3, 5, 5]], failure: "the input is 3 pixels deep with 0 of padding"),
      OperatorSample(
        "no volume", layer(.max, kernel: 2, stride: 1, type: .valid), inputs: [[1, 3, 5, 5]],
        failure: "expected five dimensions"),
      OperatorSample(
        "a vector", layer(.max, kernel: 2, stride: 1, type: .valid), inputs: [[20]],
        failure: "the input has the shape 20, expected five dimensions"),
    ]
  }

  private static func layer(
    _ kind: Spec.Pooling3DLayerParams.PoolingType3D, kernel: Int32, stride: Int32,
    padding: Int32 = 0, type: Spec.Pooling3DLayerParams.Pooling3DPaddingType = .custom,
    excludes: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .pooling3d(
        .making {
          $0.type = kind
          ($0.kernelDepth, $0.kernelHeight, $0.kernelWidth) = (kernel, kernel, kernel)
          ($0.strideDepth, $0.strideHeight, $0.strideWidth) = (stride, stride, stride)
          $0.paddingType = type
          $0.countExcludePadding = excludes
          ($0.customPaddingFront, $0.customPaddingBack) = (padding, padding)
          ($0.customPaddingTop, $0.customPaddingBottom) = (padding, padding)
          ($0.customPaddingLeft, $0.customPaddingRight) = (padding, padding)
        }))
  }
}

extension Pooling3DOperator {
  /// Samples with padding that no layer can represent.
  package static let lowerSamples: [OperatorSample] = [
    OperatorSample(
      "same padding, extra at the start",
      derived: Pooling3DOperator(
        isMaximum: false, kernel: [1, 1, 2], stride: [1, 1, 1], padding: .sameLower),
      inputs: [([1, 1, 1, 1, 3], .values([2, 4, 8]))],
      expected: [ReferenceTensor([1, 1, 1, 1, 3], [1, 3, 6])]),
    OperatorSample(
      "maximum, same padding, extra at the start",
      derived: Pooling3DOperator(
        isMaximum: true, kernel: [2, 3, 4], stride: [1, 2, 3], padding: .sameLower),
      inputs: [([2, 3, 5, 7, 9], .uniform(-1...1))], tolerance: .exact),
  ]
}

extension GlobalPooling3DOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let volume: [(Shape, OperatorSample.Fill)] = [
      ([1, 2, 1, 2, 2], .values([1, 2, 3, 6, -4, -3, -2, -1]))
    ]
    return [
      OperatorSample(
        "average", Spec.NeuralNetworkLayer(.globalPooling3d(.making { $0.type = .average })),
        inputs: volume, expected: [ReferenceTensor([1, 2, 1, 1, 1], [3, -2.5])]),
      OperatorSample(
        "maximum", Spec.NeuralNetworkLayer(.globalPooling3d(.making { $0.type = .max })),
        inputs: volume, expected: [ReferenceTensor([1, 2, 1, 1, 1], [6, -1])], tolerance: .exact),
      OperatorSample(
        "average of large volumes",
        Spec.NeuralNetworkLayer(.globalPooling3d(.making { $0.type = .average })),
        inputs: [[2, 3, 11, 13, 37]]),
      OperatorSample(
        "maximum of large volumes",
        Spec.NeuralNetworkLayer(.globalPooling3d(.making { $0.type = .max })),
        inputs: [[2, 3, 11, 13, 37]], tolerance: .exact),
      OperatorSample(
        "no volume", Spec.NeuralNetworkLayer(.globalPooling3d(.making { $0.type = .max })),
        inputs: [[1, 3, 5, 5]], failure: "expected five dimensions"),
    ]
  }
}
