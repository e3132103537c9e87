import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConvolutionOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    literalSamples + convolutionSamples + deconvolutionSamples + badSamples
  }

  /// Samples with answers that were computed by hand.
  private static var literalSamples: [OperatorSample] {
    let ones = Spec.WeightParams([Float](repeating: 1, count: 4))
    let picture = OperatorSample.Fill.values([1, 2, 3, 4, 5, 6, 7, 8, 9])
    return [
      OperatorSample(
        "sums over 2 × 2 windows", message(1, 1, kernel: [2, 2], weights: ones),
        inputs: [(Shape([1, 1, 3, 3]), picture)],
        expected: [ReferenceTensor([1, 1, 2, 2], [12, 16, 24, 28])]),
      OperatorSample(
        "same padding, extra at bottom and right",
        message(1, 1, kernel: [2, 2], weights: ones, same: .bottomRightHeavy),
        inputs: [(Shape([1, 1, 3, 3]), picture)],
        expected: [ReferenceTensor([1, 1, 3, 3], [12, 16, 9, 24, 28, 15, 15, 17, 9])]),
      OperatorSample(
        "same padding, extra at top and left",
        message(1, 1, kernel: [2, 2], weights: ones, same: .topLeftHeavy),
        inputs: [(Shape([1, 1, 3, 3]), picture)],
        expected: [ReferenceTensor([1, 1, 3, 3], [1, 3, 5, 5, 12, 16, 11, 24, 28])]),
      OperatorSample(
        "deconvolution places the kernel",
        message(
          1, 1, kernel: [2, 2], stride: [2, 2], weights: Spec.WeightParams([1, 2, 3, 4]),
          deconvolution: true),
        inputs: [(Shape([1, 1, 1, 2]), .values([1, 10]))],
        expected: [ReferenceTensor([1, 1, 2, 4], [1, 2, 10, 20, 3, 4, 30, 40])]),
      OperatorSample(
        "deconvolution with an output row and column beyond the default size",
        message(
          1, 1, kernel: [2, 2], stride: [2, 2], weights: Spec.WeightParams([1, 2, 3, 4]),
          bias: [0.5], deconvolution: true, outputShape: [3, 3]),
        inputs: [(Shape([1, 1, 1, 1]), .values([1]))],
        expected: [
          ReferenceTensor([1, 1, 3, 3], [1.5, 2.5, 0.5, 3.5, 4.5, 0.5, 0.5, 0.5, 0.5])
        ]),
    ]
  }

  private static var convolutionSamples: [OperatorSample] {
    var samples: [OperatorSample] = []
    func add(_ name: String, _ layer: Spec.NeuralNetworkLayer, _ shapes: [Shape]) {
      samples.append(
        OperatorSample(name, layer, inputs: shapes, tolerance: .accumulation))
    }
    add(
      "3 → 32, 9 × 9, as in Create ML",
      message(
        32, 3, kernel: [9, 9], pad: [4, 4, 4, 4],
        bias: .some(nil)), [[1, 3, 17, 19]])
    add(
      "32 → 3, 9 × 9, as in Create ML",
      message(
        3, 32, kernel: [9, 9], pad: [4, 4, 4, 4],
        bias: .some(nil)), [[1, 32, 15, 21]])
    add("64 → 64, 3 × 3, valid", message(64, 64, bias: .some(nil)), [[1, 64, 12, 14]])
    add("32 → 32, over 500 pixels", message(32, 32), [[1, 32, 26, 25]])
    add("32 → 32, over 1000 pixels", message(32, 32), [[1, 32, 34, 37]])
    add(
      "32 → 48, stride 2", message(48, 32, stride: [2, 2], pad: [1, 1, 1, 1]), [[1, 32, 13, 16]])
    add(
      "stride 3 × 2, padding 2, 0, 1, 3",
      message(
        5, 7, kernel: [3, 4], stride: [3, 2],
        pad: [2, 0, 1, 3]), [[2, 7, 11, 9]])
    add("dilation 2 × 3", message(8, 16, dilation: [2, 3]), [[1, 16, 11, 13]])
    add(
      "same with stride 2",
      message(
        6, 4, kernel: [5, 3], stride: [2, 2],
        same: .bottomRightHeavy), [[1, 4, 9, 12]])
    add(
      "same padding, extra at top and left, stride 2",
      message(
        6, 4, kernel: [4, 4], stride: [2, 2],
        same: .topLeftHeavy), [[1, 4, 9, 12]])
    add("two groups", message(8, 3, groups: 2, bias: .some(nil)), [[1, 6, 9, 8]])
    add("depthwise", message(16, 1, groups: 16, pad: [1, 1, 1, 1]), [[1, 16, 9, 9]])
    add(
      "depthwise, 5 × 5, stride 2",
      message(
        20, 1, groups: 20, kernel: [5, 5], stride: [2, 2], pad: [2, 2, 2, 2], bias: .some(nil)),
      [[1, 20, 11, 13]])
    add(
      "depthwise, dilated",
      message(32, 1, groups: 32, dilation: [2, 1], pad: [2, 2, 1, 1]), [[1, 32, 9, 9]])
    add("1 × 1", message(20, 33, kernel: [1, 1], bias: .some(nil)), [[1, 33, 7, 5]])
    add("five dimensions, batch of 2 × 3", message(4, 3), [[2, 3, 3, 6, 5]])
    add("one channel", message(1, 1, kernel: [3, 3]), [[1, 1, 40, 3]])
    add(
      "weights and bias as inputs", message(4, 3, weights: nil),
      [[1, 3, 6, 6], [4, 3, 3, 3], [4]])
    add("weights as input", message(4, 3, weights: nil), [[1, 3, 6, 6], [4, 3, 3, 3]])
    return samples
  }

  private static var deconvolutionSamples: [OperatorSample] {
    var samples: [OperatorSample] = []
    func add(_ name: String, _ layer: Spec.NeuralNetworkLayer, _ shape: Shape) {
      samples.append(
        OperatorSample(name, layer, inputs: [shape], tolerance: .accumulation))
    }
    add(
      "64 → 32, stride 2, outputShape as in FNSCandy",
      message(
        32, 64, stride: [2, 2],
        bias: .some(nil), deconvolution: true, outputShape: [18, 20]), [1, 64, 8, 9])
    add(
      "padding cuts the output",
      message(
        8, 6, kernel: [4, 4], stride: [2, 2],
        pad: [1, 1, 2, 0], deconvolution: true), [1, 6, 7, 5])
    add(
      "same",
      message(
        5, 16, kernel: [3, 3], stride: [2, 2], same: .bottomRightHeavy,
        deconvolution: true), [1, 16, 5, 6])
    add(
      "two groups, transposed", message(6, 4, groups: 2, stride: [2, 1], deconvolution: true),
      [1, 4, 5, 6])
    add(
      "stride above the kernel",
      message(
        3, 2, kernel: [2, 2], stride: [3, 3],
        bias: .some(nil), deconvolution: true), [1, 2, 4, 3])
    add(
      "dilation", message(4, 4, stride: [2, 2], dilation: [2, 2], deconvolution: true),
      [1, 4, 5, 5])
    return samples
  }

  private static var badSamples: [OperatorSample] {
    [
      OperatorSample(
        "too few weights", message(4, 3, weights: .random(100)), inputs: [[1, 3, 6, 6]],
        failure: "holds 100 values, expected 108 (4 × 3 × 3 × 3)"),
      OperatorSample(
        "another number of channels", message(4, 3), inputs: [[1, 5, 6, 6]],
        failure: "the input has 5 channels (1 × 5 × 6 × 6), expected 3"),
      OperatorSample(
        "smaller than the kernel", message(4, 3, kernel: [9, 9]), inputs: [[1, 3, 6, 6]],
        failure: "smaller than the kernel's 9"),
      OperatorSample(
        "groups that do not divide", message(4, 3, groups: 3, weights: .random(108)),
        inputs: [[1, 9, 6, 6]], failure: "cannot be split into 3 groups"),
      OperatorSample(
        "rank two", message(4, 3), inputs: [[3, 6]], failure: "three dimensions or more"),
      OperatorSample(
        "a stride of zero", message(4, 3, stride: [0, 1]), inputs: [[1, 3, 6, 6]],
        failure: "stride is [0, 1], expected two numbers above zero"),
    ]
  }

  /// Creates a layer. If `bias` is `.some(nil)`, the layer has pseudo-random biases. If `bias` is `nil`, the layer has
  /// no biases.
  private static func message(
    _ outputs: UInt64, _ kernelChannels: UInt64, groups: UInt64 = 1, kernel: [UInt64] = [3, 3],
    stride: [UInt64] = [], dilation: [UInt64] = [],
    weights: Spec.WeightParams?? = .some(.some(Spec.WeightParams())), pad: [UInt64] = [],
    same: Spec.SamePadding.SamePaddingMode? = nil, bias: [Float]?? = nil,
    deconvolution: Bool = false, outputShape: [UInt64] = []
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.ConvolutionLayerParams()
    message.outputChannels = outputs
    message.kernelChannels = kernelChannels
    message.nGroups = groups
    message.kernelSize = kernel
    message.stride = stride
    message.dilationFactor = dilation
    message.isDeconvolution = deconvolution
    message.outputShape = outputShape
    if let given = weights, let values = given {
      let rows: UInt64 = deconvolution ? outputs / groups : outputs
      let count: UInt64 = rows * kernelChannels * kernel[0] * kernel[1]
      message.weights = values.floatValue.isEmpty ? .random(Int(count)) : values
    }
    if let bias {
      message.hasBias = true
      message.bias = bias.map { Spec.WeightParams($0) } ?? .random(Int(outputs), seed: 2)
    }
    if let same {
      var padding = Spec.SamePadding()
      padding.asymmetryMode = same
      message.convolutionPaddingType = .same(padding)
    } else if !pad.isEmpty {
      var valid = Spec.ValidPadding()
      var amounts = Spec.BorderAmounts()
      amounts.borderAmounts = [(pad[0], pad[2]), (pad[1], pad[3])].map { start, end in
        var edges = Spec.BorderAmounts.EdgeSizes()
        edges.startEdgeSize = start
        edges.endEdgeSize = end
        return edges
      }
      valid.paddingAmounts = amounts
      message.convolutionPaddingType = .valid(valid)
    }
    return Spec.NeuralNetworkLayer(.convolution(message))
  }
}
