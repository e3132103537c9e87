import Graph
import Operators

extension OperatorSample.Fill {
  /// Returns factors that are powers of two, so that no number is rounded before the quantisation.
  fileprivate static func halves(_ count: Int) -> OperatorSample.Fill {
    .values((0..<count).map { $0 % 2 == 0 ? 0x1p-14 : 0x1p-13 })
  }

  /// Returns biases that are integers, so that no number is rounded before the quantisation.
  fileprivate static func integerValues(_ count: Int) -> OperatorSample.Fill {
    .values((0..<count).map { Double($0 % 17 - 8) * 500 })
  }
}

extension ByteOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // Computed by hand. The values are ties, which round to even, and the bounds of the range.
      OperatorSample(
        "known values", derived: ByteOperator(from: -128),
        inputs: [([7], .values([-128, 0, 1.5, 2.5, 127, 300, -500]))],
        expected: [ReferenceTensor([7], [0, 128, 130, 130, 255, 255, 0])], tolerance: .exact),
      OperatorSample(
        "a picture", derived: ByteOperator(from: 3),
        inputs: [([2, 5, 7, 9], .uniform(-20...300))], tolerance: .exact),
    ]
  }
}

extension ByteConvolutionOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    typealias Pair = ConvolutionOperator.Pair
    func sample(
      _ name: String, _ convolution: ConvolutionOperator, _ picture: Shape, zero: Int = 0,
      _ epilogue: ByteEpilogue = ByteEpilogue(), tolerance: OperatorSample.Tolerance = .exact
    ) -> OperatorSample {
      let channels: Shape = [convolution.outputChannels]
      return OperatorSample(
        name,
        derived: ByteConvolutionOperator(convolution, zero: zero, epilogue: epilogue),
        inputs: [(picture, .integers(0...255))],
        constants: [
          (convolution.weightShape, .integers(-128...127)),
          (channels, .halves(convolution.outputChannels)),
          (channels, .integerValues(convolution.outputChannels)),
        ], tolerance: tolerance)
    }
    func quantization(_ scale: Float, _ range: ClosedRange<Int>) -> ByteEpilogue.Quantization {
      ByteEpilogue.Quantization(scale: scale, least: range.lowerBound, greatest: range.upperBound)
    }
    let plain = ConvolutionOperator(
      outputChannels: 20, kernelChannels: 24, padding: .same(topLeftHeavy: false))
    let one = ConvolutionOperator(outputChannels: 1, kernelChannels: 2, kernel: Pair(1, 1))
    return [
      // By hand: factor · (Σ (input − zero) · weight + bias) = 2 · ((7 − 5) · 3 + (1 − 5) · 10 + 50) = 32. The
      // quantisation multiplies this by 2, which gives 64. The result is stored as 164: its distance from the smallest
      // value, −100.
      OperatorSample(
        "one pixel",
        derived: ByteConvolutionOperator(
          one, zero: 5, epilogue: ByteEpilogue(quantization: quantization(2, -100...100))),
        inputs: [([1, 2, 1, 1], .values([7, 1]))],
        constants: [
          ([1, 2, 1, 1], .values([3, 10])), ([1], .values([2])), ([1], .values([50])),
        ], expected: [ReferenceTensor([1, 1, 1, 1], [164])]),
      // The sum of two products of the largest values does not fit into a signed 16-bit integer.
      OperatorSample(
        "the largest products",
        derived: ByteConvolutionOperator(one, zero: 0, epilogue: ByteEpilogue()),
        inputs: [([1, 2, 1, 1], .values([255, 255]))],
        constants: [
          ([1, 2, 1, 1], .values([127, 127])), ([1], .values([1])), ([1], .values([0])),
        ], expected: [ReferenceTensor([1, 1, 1, 1], [64770])], tolerance: .exact),
      OperatorSample(
        "slightly below a half",
        derived: ByteConvolutionOperator(
          one, zero: 0, epilogue: ByteEpilogue(quantization: quantization(1, -128...127))),
        inputs: [([1, 2, 1, 1], .values([1, 0]))],
        constants: [
          ([1, 2, 1, 1], .values([1, 1])), ([1], .values([Double(Float(1.5).nextDown)])),
          ([1], .values([0])),
        ], expected: [ReferenceTensor([1, 1, 1, 1], [129])], tolerance: .exact),
      sample("real numbers", plain, [2, 24, 9, 11]),
      sample("a zero point and its padding", plain, [1, 24, 9, 11], zero: 131),
      sample(
        "quantised output", plain, [1, 24, 9, 11], zero: 131,
        ByteEpilogue(quantization: quantization(32, -128...127))),
      sample(
        "a ReLU and uint8 output", plain, [1, 24, 9, 11],
        ByteEpilogue(activation: .reLU, quantization: quantization(64, 0...255))),
      sample(
        "a ceiling and 7-bit output", plain, [1, 24, 9, 11], zero: 9,
        ByteEpilogue(activation: .reLU, ceiling: 1.5, quantization: quantization(32, -10...90))),
      sample(
        "a sigmoid", plain, [1, 24, 9, 11], zero: 9,
        ByteEpilogue(activation: .sigmoid), tolerance: .accumulation),
      sample(
        "depthwise, stride 2",
        ConvolutionOperator(
          outputChannels: 32, kernelChannels: 1, groups: 32, stride: Pair(2, 2),
          padding: .same(topLeftHeavy: true)), [1, 32, 13, 12], zero: 77),
      sample(
        "1 × 1, output channels fill five vectors",
        ConvolutionOperator(outputChannels: 70, kernelChannels: 16, kernel: Pair(1, 1)),
        [2, 16, 6, 5], zero: 3),
      sample(
        "depthwise, 5 × 5, channels not a multiple of the vector length",
        ConvolutionOperator(
          outputChannels: 40, kernelChannels: 1, groups: 40, kernel: Pair(5, 5),
          padding: .same(topLeftHeavy: false)), [1, 40, 9, 8], zero: 20,
        ByteEpilogue(quantization: quantization(16, -128...127))),
      sample(
        "9 × 9 from 3 channels",
        ConvolutionOperator(
          outputChannels: 17, kernelChannels: 3, kernel: Pair(9, 9),
          padding: .valid(top: 4, left: 4, bottom: 4, right: 4)), [1, 3, 20, 19], zero: 200),
      sample(
        "9 × 9 to 3 channels, stride 2",
        ConvolutionOperator(
          outputChannels: 3, kernelChannels: 5, kernel: Pair(9, 9), stride: Pair(1, 2),
          padding: .valid(top: 4, left: 4, bottom: 4, right: 3)), [2, 5, 6, 24], zero: 200,
        ByteEpilogue(activation: .reLU, quantization: quantization(4, -128...127))),
      sample(
        "dilated, in groups",
        ConvolutionOperator(
          outputChannels: 32, kernelChannels: 16, groups: 2, dilation: Pair(2, 2),
          padding: .valid(top: 2, left: 2, bottom: 2, right: 2)), [1, 32, 12, 13], zero: 1),
      OperatorSample(
        "no bias", derived: ByteConvolutionOperator(one, zero: 0, epilogue: ByteEpilogue()),
        inputs: [
          ([1, 2, 1, 1], .integers(0...255)), ([1, 2, 1, 1], .integers(-9...9)),
          ([1], .uniform(0...1)),
        ], failure: "has 3 inputs, expected bytes, weights, factors and a bias"),
    ]
  }
}

extension ByteProductOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func sample(_ name: String, _ product: ByteProductOperator, _ rows: Shape, _ matrix: Shape)
      -> OperatorSample
    {
      OperatorSample(
        name, derived: product,
        inputs: [(rows, .integers(0...255))],
        constants: [
          (matrix, .integers(-128...127)), ([matrix[0]], .halves(matrix[0])),
          ([matrix[0]], .integerValues(matrix[0])),
        ], tolerance: .exact)
    }
    let quantization = ByteEpilogue.Quantization(scale: 32, least: -128, greatest: 127)
    return [
      // By hand: factor · (Σ (input − zero) · weight + bias) = 0.5 · ((3 − 1) · 4 + (0 − 1) · 2 + 1) = 3.5.
      OperatorSample(
        "one row",
        derived: ByteProductOperator(zero: 1, epilogue: ByteEpilogue()),
        inputs: [([1, 2], .values([3, 0]))],
        constants: [([1, 2], .values([4, 2])), ([1], .values([0.5])), ([1], .values([1]))],
        expected: [ReferenceTensor([1, 1], [3.5])]),
      sample(
        "rows", ByteProductOperator(zero: 130, epilogue: ByteEpilogue()), [3, 5, 37], [19, 37]),
      sample(
        "quantised output",
        ByteProductOperator(zero: 3, epilogue: ByteEpilogue(quantization: quantization)),
        [7, 64],
        [48, 64]),
      sample(
        "planes as rows",
        ByteProductOperator(
          joinsPlanes: true, zero: 3,
          epilogue: ByteEpilogue(activation: .reLU, quantization: quantization)),
        [2, 5, 3, 4], [10, 60]),
      OperatorSample(
        "rows of a different length",
        derived: ByteProductOperator(zero: 0, epilogue: ByteEpilogue()),
        inputs: [
          ([2, 3], .integers(0...255)), ([4, 5], .integers(-9...9)), ([4], .uniform(0...1)),
          ([4], .uniform(0...1)),
        ], failure: "expected 5 values each"),
    ]
  }
}
