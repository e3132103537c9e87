import Foundation
import Testing

@testable import ModelFormat

/// Weights that coremltools 9.0 quantised (`_quantize_wp_field`) and dequantised (`_dequantize_wp`). The original
/// weights are from `numpy.random.default_rng(7).normal`, rounded to two digits.
struct QuantizedCase: Sendable, CustomTestStringConvertible {
  var bits: UInt64
  var raw: [UInt8]
  var scale: [Float]
  var bias: [Float]
  var table: [Float]
  var shape: [Int]
  var axis: Int
  var expected: [Float]

  var testDescription: String {
    "\(bits) bits, \(table.isEmpty ? "linear" : "table"), axis \(axis)"
  }

  var weights: Spec.WeightParams {
    var quantization = Spec.QuantizationParams()
    quantization.numberOfBits = bits
    if table.isEmpty {
      var linear = Spec.LinearQuantizationParams()
      linear.scale = FloatValues(scale)
      linear.bias = FloatValues(bias)
      quantization.quantizationType = .linearQuantization(linear)
    } else {
      var lookUp = Spec.LookUpTableQuantizationParams()
      lookUp.floatValue = FloatValues(table)
      quantization.quantizationType = .lookupTableQuantization(lookUp)
    }
    var weights = Spec.WeightParams()
    weights.rawValue = ByteValues(raw)
    weights.quantization = quantization
    return weights
  }

  static let all: [QuantizedCase] = [
    QuantizedCase(
      bits: 1,
      raw: [73, 0],
      scale: [0.57000005, 0.54, 1.83],
      bias: [-0.27, -0.99, -0.49],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [-0.27, 0.30000004, -0.27, -0.99, -0.45, -0.99, -0.49, 1.34, -0.49]),
    QuantizedCase(
      bits: 2,
      raw: [63, 60, 64],
      scale: [0.37, 0.34666666, 0.68],
      bias: [-0.62, -0.93, -1.34],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [-0.62, 0.49, 0.49, 0.109999985, -0.93, 0.109999985, 0.7, -1.34, -0.66]),
    QuantizedCase(
      bits: 3,
      raw: [28, 209, 254, 0],
      scale: [0.08714286, 0.22, 0.38285714],
      bias: [-1.9, -1.27, -2.52],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -1.9, -1.29, -1.8128572, -0.16999999, -1.27, 0.27, 0.16000003, -0.22285712,
        -2.52,
      ]),
    QuantizedCase(
      bits: 4,
      raw: [11, 240, 248, 15, 0],
      scale: [0.043333337, 0.07, 0.12466666],
      bias: [-0.54, -1.53, -0.81],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -0.54, -0.06333332, 0.11000003, -1.53, -0.47999996, -0.96999997, -0.81,
        1.06, -0.81,
      ]),
    QuantizedCase(
      bits: 5,
      raw: [103, 192, 15, 224, 16, 248],
      scale: [0.047096774, 0.007096774, 0.08354839],
      bias: [-0.58, -0.11, -1.23],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -0.0148386955, 0.88, -0.58, -0.11, 0.10999999, 0.060322575, -1.23,
        0.10677421, 1.36,
      ]),
    QuantizedCase(
      bits: 6,
      raw: [3, 251, 0, 254, 16, 45, 252],
      scale: [0.038253967, 0.04190476, 0.028253967],
      bias: [-1.55, -0.64, -1.2],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -1.55, 0.85999995, 0.13317458, -0.64, 1.9999998, 0.74285704, -1.2,
        0.07142846, 0.57999986,
      ]),
    QuantizedCase(
      bits: 7,
      raw: [1, 252, 149, 31, 224, 63, 128, 228],
      scale: [0.006850394, 0.016692914, 0.0051968507],
      bias: [-0.19, -0.68, -0.46],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -0.19, 0.68, -0.0666929, 0.67212605, 1.44, -0.68, 0.20000003, -0.46,
        0.13244098,
      ]),
    QuantizedCase(
      bits: 8,
      raw: [0, 157, 255, 229, 255, 0, 116, 255, 0],
      scale: [0.0038823532, 0.009686274, 0.01035294],
      bias: [-1.19, -1.32, -1.99],
      table: [],
      shape: [3, 1, 1, 3],
      axis: 0,
      expected: [
        -1.19, -0.5804706, -0.19999999, 0.8981568, 1.15, -1.32, -0.7890589,
        0.64999974, -1.99,
      ]),
    QuantizedCase(
      bits: 5,
      raw: [1, 191, 81, 0, 127, 0, 190, 176],
      scale: [0.06387097, 0.05451613, 0.023225807],
      bias: [-0.46, -0.43, -0.37],
      table: [],
      shape: [2, 3, 1, 2],
      axis: 1,
      expected: [
        -0.46, -0.07677421, 1.26, 0.7148387, -0.32354838, -0.37, -0.2683871, 1.52,
        -0.43, -0.32096773, 0.35, -0.11451613,
      ]),
    QuantizedCase(
      bits: 1,
      raw: [13, 64],
      scale: [],
      bias: [],
      table: [-2.0, 2.0],
      shape: [2, 5],
      axis: 0,
      expected: [-2.0, -2.0, -2.0, -2.0, 2.0, 2.0, -2.0, 2.0, -2.0, 2.0]),
    QuantizedCase(
      bits: 3,
      raw: [116, 194, 26, 156],
      scale: [],
      bias: [],
      table: [
        -2.0, -1.4285715, -0.85714287, -0.2857143, 0.2857143, 0.85714287, 1.4285715,
        2.0,
      ],
      shape: [2, 5],
      axis: 0,
      expected: [
        -0.2857143, 0.85714287, -1.4285715, 0.2857143, -1.4285715, -2.0,
        -0.2857143, -0.85714287, 0.2857143, 2.0,
      ]),
    QuantizedCase(
      bits: 6,
      raw: [73, 104, 231, 117, 202, 232, 61, 224],
      scale: [],
      bias: [],
      table: [
        -2.0, -1.9365079, -1.8730159, -1.8095238, -1.7460318, -1.6825397, -1.6190476,
        -1.5555556, -1.4920635, -1.4285715, -1.3650794, -1.3015873, -1.2380953, -1.1746032,
        -1.1111112, -1.0476191, -0.984127, -0.9206349, -0.85714287, -0.7936508, -0.73015875,
        -0.6666667, -0.6031746, -0.53968257, -0.47619048, -0.41269842, -0.34920636,
        -0.2857143, -0.22222222, -0.15873016, -0.0952381, -0.031746034, 0.031746034,
        0.0952381, 0.15873016, 0.22222222, 0.2857143, 0.34920636, 0.41269842, 0.47619048,
        0.53968257, 0.6031746, 0.6666667, 0.73015875, 0.7936508, 0.85714287, 0.9206349,
        0.984127, 1.0476191, 1.1111112, 1.1746032, 1.2380953, 1.3015873, 1.3650794,
        1.4285715, 1.4920635, 1.5555556, 1.6190476, 1.6825397, 1.7460318, 1.8095238,
        1.8730159, 1.9365079, 2.0,
      ],
      shape: [2, 5],
      axis: 0,
      expected: [
        -0.85714287, -0.6031746, 0.22222222, 0.47619048, -0.15873016, -0.22222222,
        0.73015875, 0.53968257, -1.0476191, -0.0952381,
      ]),
  ]
}

@Suite struct WeightsTests {
  /// The relative difference that is allowed between a multiply-add in `Float` and the same multiply-add in `Double`.
  static let restoringTolerance: Float = 1e-6

  @Test(arguments: QuantizedCase.all)
  func `Quantised weights decode as in coremltools`(sample: QuantizedCase) throws {
    let found = try sample.weights.decodedFloats(
      count: sample.expected.count, name: "Convolution 'c'", shape: sample.shape,
      outputChannels: sample.shape[sample.axis],
      channelStride: sample.shape[(sample.axis + 1)...].reduce(1, *))
    #expect(found.count == sample.expected.count)
    for (value, expected) in zip(found, sample.expected) {
      #expect(abs(value - expected) <= WeightsTests.restoringTolerance)
    }
  }

  @Test func `Float16 weights are widened exactly, subnormals and infinities included`() throws {
    // The bit patterns that NumPy gives for the same float16 values.
    let halves: [UInt16] = [
      0, 1, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x8000, 0x3555, 0xC248,
    ]
    let expected: [UInt32] = [
      0, 864_026_624, 947_896_320, 947_912_704, 1_065_353_216, 3_212_836_864, 1_199_562_752,
      2_139_095_040, 4_286_578_688, 2_147_483_648, 1_051_369_472, 3_226_009_600,
    ]
    var weights = Spec.WeightParams()
    weights.float16Value = ByteValues(halves.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    let found = try weights.decodedFloats(count: halves.count, name: "Bias 'b'")
    #expect(found.map(\.bitPattern) == expected)
  }

  @Test func `Every float16 is widened like in the compiler's conversion`() {
    for bits in UInt16.min...UInt16.max {
      let expected = Float(Float16(bitPattern: bits))
      let found = float32(float16Bits: bits)
      #expect(found == expected || (found.isNaN && expected.isNaN))
    }
  }

  @Test func `A wrong number of weights is reported with the layer's shape`() throws {
    var weights = Spec.WeightParams()
    weights.floatValue = FloatValues([Float](repeating: 0, count: 36_864))
    let error = #expect(throws: ModelFormatError.self) {
      try weights.decodedFloats(
        count: 73_728, name: "Convolution 'conv2_1'", shape: [64, 128, 3, 3])
    }
    #expect(
      error?.message
        == "Convolution 'conv2_1': weights hold 36 864 values, expected 73 728 (64 × 128 × 3 × 3). "
        + "The file may be truncated.")
  }

  static let badCases: [(String, QuantizedCase)] = [
    ("weights have 9 bits, expected 1 to 8.", damaged { $0.bits = 9 }),
    ("weights have 0 bits, expected 1 to 8.", damaged { $0.bits = 0 }),
    ("weights hold 6 values, expected 9 (3 × 3).", damaged { $0.raw = [1, 2, 3] }),
    (
      "weights have 2 quantisation scales, expected 1 or 3, one per channel.",
      damaged { $0.scale = [1, 2] }
    ),
    (
      "weights have 4 quantisation biases, expected 1 or 3, one per channel.",
      damaged { $0.bias = [1, 2, 3, 4] }
    ),
    ("weights have a table of 3 values, expected 16.", damaged { $0.table = [1, 2, 3] }),
  ]

  private static func damaged(_ change: (inout QuantizedCase) -> Void) -> QuantizedCase {
    var sample = QuantizedCase(
      bits: 4, raw: [1, 2, 3, 4, 5], scale: [1, 2, 3], bias: [0], table: [], shape: [3, 3], axis: 0,
      expected: [])
    change(&sample)
    return sample
  }

  @Test(arguments: badCases.indices)
  func `Invalid quantisation is reported with a message`(index: Int) throws {
    let (sentence, sample) = WeightsTests.badCases[index]
    let error = #expect(throws: ModelFormatError.self) {
      try sample.weights.decodedFloats(count: 9, name: "C 'c'", shape: [3, 3], outputChannels: 3)
    }
    #expect(error?.message.hasPrefix("C 'c': " + sentence) == true)
  }

  @Test func `int8 values stay readable and are scaled on request`() throws {
    var linear = Spec.LinearQuantizationParams()
    linear.scale = [0.5]
    var weights = Spec.WeightParams()
    weights.int8RawValue = ByteValues([0xFF, 0x7F, 0x80])
    weights.quantization = Spec.QuantizationParams()
    weights.quantization?.numberOfBits = 8
    weights.quantization?.quantizationType = .linearQuantization(linear)
    #expect(weights.storage == .int8)
    #expect(try weights.decodedFloats(count: 3, name: "I") == [-0.5, 63.5, -64])
  }
}
