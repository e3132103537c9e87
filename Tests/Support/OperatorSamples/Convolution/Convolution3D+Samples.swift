import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension Convolution3DOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`conv3d` and `conv_transpose3d`).
  public static var samples: [OperatorSample] {
    let counting: [(Shape, OperatorSample.Fill)] = [
      ([1, 1, 2, 2, 2], .values((0..<8).map(Double.init)))
    ]
    let weights: [Float] = [1, 2, 3, 4, 5, 6, 7, 8]
    return [
      OperatorSample(
        "same padding", layer(1, 1, kernel: 2, padding: .same, weights: weights, bias: [1]),
        inputs: counting,
        expected: [ReferenceTensor([1, 1, 2, 2, 2], [169, 85, 81, 39, 61, 27, 21, 8])],
        tolerance: .accumulation),
      OperatorSample(
        "transposed with a stride",
        layer(1, 1, kernel: 2, stride: 2, weights: weights, bias: [1], transposed: true),
        inputs: counting,
        expected: [
          ReferenceTensor(
            [1, 1, 4, 4, 4],
            [
              1, 1, 2, 3, 1, 1, 4, 5, 3, 5, 4, 7, 7, 9, 10, 13, 1, 1, 6, 7, 1, 1, 8, 9, 11, 13, 16,
              19, 15, 17, 22, 25, 5, 9, 6, 11, 13, 17, 16, 21, 7, 13, 8, 15, 19, 25, 22, 29, 21,
              25, 26, 31, 29, 33, 36, 41, 31, 37, 36, 43, 43, 49, 50, 57,
            ])
        ], tolerance: .accumulation),
      OperatorSample(
        "groups, a stride and custom padding",
        layer(4, 6, kernel: 3, stride: 2, groups: 2, padding: .custom, amount: 1),
        inputs: [[2, 4, 5, 6, 4]], tolerance: .accumulation),
      OperatorSample(
        "dilation", layer(2, 3, kernel: 2, dilation: 2), inputs: [[1, 2, 4, 5, 3]],
        tolerance: .accumulation),
      OperatorSample(
        "transposed with groups and an output shape",
        layer(
          4, 2, kernel: 3, stride: 2, groups: 2, padding: .custom, amount: 1, transposed: true,
          output: [6, 6, 5]),
        inputs: [[1, 4, 3, 3, 3]], tolerance: .accumulation),
      OperatorSample(
        "many channels, odd sizes, a bias",
        layer(19, 35, kernel: 3, padding: .same, bias: (0..<35).map { Float($0) / 8 - 2 }),
        inputs: [[2, 19, 5, 9, 7]], tolerance: .accumulation),
      OperatorSample(
        "depthwise", layer(24, 24, kernel: 3, groups: 24, padding: .same),
        inputs: [[1, 24, 4, 7, 9]], tolerance: .accumulation),
      OperatorSample(
        "one channel, few results", layer(1, 4, kernel: 5, stride: 2, padding: .custom, amount: 2),
        inputs: [[1, 1, 9, 11, 10]], tolerance: .accumulation),
      OperatorSample(
        "single elements", layer(33, 17, kernel: 1), inputs: [[1, 33, 3, 5, 7]],
        tolerance: .accumulation),
      OperatorSample(
        "transposed, same padding",
        layer(16, 8, kernel: 3, stride: 2, padding: .same, transposed: true),
        inputs: [[1, 16, 3, 4, 5]], tolerance: .accumulation),
      OperatorSample(
        "transposed with dilation and a bias",
        layer(
          5, 7, kernel: 2, stride: 1, dilation: 2, bias: [1, 2, 3, 4, 5, 6, 7], transposed: true),
        inputs: [[2, 5, 4, 3, 5]], tolerance: .accumulation),
      OperatorSample(
        "transposed with output beyond the windows",
        layer(2, 5, kernel: 2, bias: [1, 2, 3, 4, 5], transposed: true, output: [8, 8, 8]),
        inputs: [[1, 2, 3, 3, 3]], tolerance: .accumulation),
      OperatorSample(
        "padding wider than the kernel", layer(2, 3, kernel: 2, padding: .custom, amount: 3),
        inputs: [[1, 2, 3, 4, 3]], tolerance: .accumulation),
      // The sample "same padding" has the extra element at the end. The volume and the kernel here are those of that
      // sample in reverse order. So the answer is that sample's answer in reverse order, without the bias 1.
      OperatorSample(
        "same padding, extra at the start",
        derived: Convolution3DOperator(
          inputChannels: 1, outputChannels: 1, kernel: [2, 2, 2], padding: .sameLower),
        inputs: [
          ([1, 1, 2, 2, 2], .values([7, 6, 5, 4, 3, 2, 1, 0])),
          ([1, 1, 2, 2, 2], .values([8, 7, 6, 5, 4, 3, 2, 1])),
        ],
        expected: [ReferenceTensor([1, 1, 2, 2, 2], [7, 20, 26, 60, 38, 80, 84, 168])],
        tolerance: .accumulation),
      OperatorSample(
        "another number of channels", layer(2, 3, kernel: 1), inputs: [[1, 3, 2, 2, 2]],
        failure: "the input has 3 channels (1 × 3 × 2 × 2 × 2), expected 2"),
      OperatorSample(
        "kernel larger than the volume", layer(1, 1, kernel: 3), inputs: [[1, 1, 2, 4, 4]],
        failure: "too small for the kernel"),
      OperatorSample(
        "groups that do not divide", layer(3, 2, kernel: 1, groups: 2),
        inputs: [[1, 3, 2, 2, 2]], failure: "do not divide into 2 groups"),
    ]
  }

  private static func layer(
    _ inputs: Int32, _ outputs: Int32, kernel: Int32, stride: Int32 = 1, dilation: Int32 = 1,
    groups: Int32 = 1, padding: Spec.Convolution3DLayerParams.PaddingType = .valid,
    amount: Int32 = 0, weights: [Float]? = nil, bias: [Float]? = nil, transposed: Bool = false,
    output: [UInt64] = []
  ) -> Spec.NeuralNetworkLayer {
    let count = Int(inputs * outputs / groups * kernel * kernel * kernel)
    return Spec.NeuralNetworkLayer(
      .convolution3d(
        .making {
          ($0.inputChannels, $0.outputChannels, $0.nGroups) = (inputs, outputs, groups)
          ($0.kernelDepth, $0.kernelHeight, $0.kernelWidth) = (kernel, kernel, kernel)
          ($0.strideDepth, $0.strideHeight, $0.strideWidth) = (stride, stride, stride)
          ($0.dilationDepth, $0.dilationHeight, $0.dilationWidth) = (dilation, dilation, dilation)
          $0.paddingType = padding
          ($0.customPaddingFront, $0.customPaddingBack) = (amount, amount)
          ($0.customPaddingTop, $0.customPaddingBottom) = (amount, amount)
          ($0.customPaddingLeft, $0.customPaddingRight) = (amount, amount)
          $0.weights = weights.map { Spec.WeightParams($0) } ?? .random(count)
          $0.hasBias = bias != nil
          $0.bias = bias.map { Spec.WeightParams($0) }
          $0.isDeconvolution = transposed
          $0.outputShape = output
        }))
  }
}
