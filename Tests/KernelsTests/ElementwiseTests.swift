import CKernels
import Foundation
import Testing

/// Serial, for each kernel uses all threads by itself.
@Suite(.serialized) struct KernelTests {}

struct FunctionCase: Sendable, CustomTestStringConvertible {
  let name: String
  let function: ck_function
  let alpha: Float
  let beta: Float
  let low: Double
  let high: Double
  let formula: @Sendable (Double) -> Double
  var testDescription: String { name }
}

private let functionCases: [FunctionCase] = [
  .init(name: "relu", function: CK_RELU, alpha: 0, beta: 0, low: -5, high: 5) { max($0, 0) },
  .init(name: "leaky", function: CK_LEAKY_RELU, alpha: 0.1, beta: 0, low: -5, high: 5) {
    $0 > 0 ? $0 : Double(Float(0.1)) * $0
  },
  .init(name: "elu", function: CK_ELU, alpha: 0.7, beta: 0, low: -9, high: 5) {
    $0 >= 0 ? $0 : Double(Float(0.7)) * expm1($0)
  },
  .init(name: "tanh", function: CK_TANH, alpha: 0, beta: 0, low: -12, high: 12) { tanh($0) },
  .init(name: "scaledTanh", function: CK_SCALED_TANH, alpha: 1.5, beta: 0.5, low: -12, high: 12) {
    1.5 * tanh(0.5 * $0)
  },
  .init(name: "sigmoid", function: CK_SIGMOID, alpha: 0, beta: 0, low: -80, high: 80) {
    1 / (1 + exp(-$0))
  },
  .init(name: "hardSigmoid", function: CK_HARD_SIGMOID, alpha: 0.25, beta: 0.5, low: -5, high: 5) {
    min(max(0.25 * $0 + 0.5, 0), 1)
  },
  .init(name: "linear", function: CK_LINEAR, alpha: 2, beta: -1, low: -5, high: 5) { 2 * $0 - 1 },
  .init(name: "softplus", function: CK_SOFTPLUS, alpha: 0, beta: 0, low: -60, high: 60) {
    max($0, 0) + log1p(exp(-abs($0)))
  },
  .init(name: "softsign", function: CK_SOFTSIGN, alpha: 0, beta: 0, low: -5, high: 5) {
    $0 / (1 + abs($0))
  },
  .init(name: "thresholded", function: CK_THRESHOLDED_RELU, alpha: 1, beta: 0, low: -3, high: 3) {
    $0 >= 1 ? $0 : 0
  },
  .init(
    name: "parametricSoftplus", function: CK_PARAMETRIC_SOFTPLUS, alpha: 2, beta: 0.5, low: -9,
    high: 9
  ) { 2 * (max(0.5 * $0, 0) + log1p(exp(-abs(0.5 * $0)))) },
  .init(name: "sqrt", function: CK_SQRT, alpha: 0, beta: 0, low: 0, high: 9) { $0.squareRoot() },
  .init(name: "rsqrt", function: CK_RSQRT, alpha: 0, beta: 0.5, low: 0, high: 9) {
    1 / ($0 + 0.5).squareRoot()
  },
  .init(name: "inverse", function: CK_INVERSE, alpha: 0, beta: 1, low: 0, high: 9) {
    1 / ($0 + 1)
  },
  .init(name: "power", function: CK_POWER, alpha: 2.5, beta: 0, low: 0, high: 9) { pow($0, 2.5) },
  .init(name: "exp", function: CK_EXP, alpha: 0, beta: 0, low: -100, high: 88) { exp($0) },
  .init(name: "log", function: CK_LOG, alpha: 0, beta: 0, low: 1e-6, high: 50) { log($0) },
  .init(name: "abs", function: CK_ABS, alpha: 0, beta: 0, low: -5, high: 5) { abs($0) },
  .init(name: "threshold", function: CK_THRESHOLD, alpha: 1, beta: 0, low: -5, high: 5) {
    max($0, 1)
  },
  .init(name: "clip", function: CK_CLIP, alpha: -1, beta: 2, low: -5, high: 5) {
    min(max($0, -1), 2)
  },
  .init(name: "square", function: CK_SQUARE, alpha: 0, beta: 0, low: -5, high: 5) { $0 * $0 },
  .init(name: "swish", function: CK_SWISH, alpha: 1, beta: 0, low: -20, high: 20) {
    $0 / (1 + exp(-$0))
  },
]

extension KernelTests {
  @Test("Every function is within a millionth of its formula", arguments: functionCases)
  func functionsFollowTheirFormula(item: FunctionCase) {
    let count: Int = 20_003
    let step: Double = (item.high - item.low) / Double(count - 1)
    let inputs: [Float] = (0..<count).map { Float(item.low + step * Double($0)) }
    for level in instructionSets {
      ck_limit_instructions(level)
      let source = Values(CK_F32, inputs)
      var chainStep = ck_step()
      chainStep.function = item.function
      chainStep.alpha = item.alpha
      chainStep.beta = item.beta
      let status = ck_chain(
        &chainStep, 1, source.pointer, CK_F32, source.pointer, CK_F32, 1, 1, Int64(count))
      #expect(status == 0)
      var worst: Double = 0
      for index in 0..<count {
        let wanted: Double = item.formula(Double(inputs[index]))
        let difference: Double = abs(Double(source[index]) - wanted)
        worst = max(worst, difference / max(abs(wanted), 1e-30))
      }
      #expect(worst < 1e-6 || item.function == CK_LINEAR && worst < 1e-3, "level \(level)")
    }
    ck_limit_instructions(3)
  }

  @Test("Functions keep the special values", arguments: [CK_TANH, CK_EXP, CK_SIGMOID, CK_LOG])
  func specialValues(function: ck_function) {
    let source = Values(CK_F32, [.nan, .infinity, -.infinity, 0, 1000, -1000])
    var step = ck_step()
    step.function = function
    for level in instructionSets {
      ck_limit_instructions(level)
      let result = Values(CK_F32, count: 6)
      ck_chain(&step, 1, source.pointer, CK_F32, result.pointer, CK_F32, 1, 1, 6)
      #expect(result[0].isNaN)
      for index in 1..<6 {
        let x = Double(source[index])
        let wanted: Double
        switch function {
        case CK_TANH: wanted = tanh(x)
        case CK_EXP: wanted = exp(x)
        case CK_SIGMOID: wanted = 1 / (1 + exp(-x))
        default: wanted = log(x)
        }
        let got = result[index]
        #expect(wanted.isNaN ? got.isNaN : abs(got - Float(wanted)) < 1e-5 || got == Float(wanted))
      }
    }
    ck_limit_instructions(3)
  }

  @Test(
    "A chain applies its steps in order, with one value a channel, in both layouts",
    arguments: [
      (5, 3, 1), (700, 3, 1), (90, 64, 1), (11, 33, 1), (2, 3, 77), (1, 5000, 1), (3, 7, 5),
    ])
  func chainsFollowChannels(outer: Int, channels: Int, inner: Int) {
    var numbers = Numbers(seed: 3)
    let count = outer * channels * inner
    let values = numbers.array(count)
    let scales = numbers.array(channels)
    let offsets = numbers.array(channels)
    let others = numbers.array(count)
    for level in instructionSets {
      ck_limit_instructions(level)
      for type in [CK_F32, CK_BF16, CK_F16] {
        let source = Values(type, values)
        let other = Values(type, others)
        let result = Values(CK_F32, count: count)
        scales.withUnsafeBufferPointer { scale in
          offsets.withUnsafeBufferPointer { offset in
            var first = ck_step()
            first.function = CK_LINEAR
            first.channel_alpha = scale.baseAddress
            first.channel_beta = offset.baseAddress
            var second = ck_step()
            second.is_operation = 1
            second.operation = CK_MULTIPLY
            second.operand = UnsafeRawPointer(other.pointer)
            second.operand_type = type
            var third = ck_step()
            third.is_operation = 1
            third.operation = CK_SUBTRACT
            third.alpha = 0.5
            ck_chain(
              [first, second, third], 3, source.pointer, type, result.pointer, CK_F32,
              Int64(outer), Int64(channels), Int64(inner))
          }
        }
        let expected: [Double] = (0..<count).map { index in
          let channel = (index / inner) % channels
          let line = Double(source[index]) * Double(scales[channel]) + Double(offsets[channel])
          return line * Double(other[index]) - 0.5
        }
        #expect(worstError(result.array, expected) < 1e-6)
      }
    }
    ck_limit_instructions(3)
  }

  @Test(
    "Binary operations broadcast over any axes",
    arguments: [
      ([2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5]), ([2, 3, 4, 5], [2, 3, 4, 5], [1, 1, 1, 1]),
      ([2, 3, 4, 5], [2, 3, 4, 5], [1, 3, 1, 1]), ([2, 3, 4, 5], [1, 3, 4, 1], [2, 1, 1, 5]),
      ([40_000, 3], [40_000, 3], [1, 3]), ([3, 40_000], [3, 1], [3, 40_000]), ([1], [1], [1]),
      ([2, 2, 2, 2, 2, 2, 2, 2], [2, 1, 2, 1, 2, 1, 2, 1], [1, 2, 1, 2, 1, 2, 1, 2]),
    ] as [([Int], [Int], [Int])])
  func binaryBroadcasts(shape: [Int], shapeA: [Int], shapeB: [Int]) {
    func strides(_ own: [Int]) -> [Int64] {
      var result = [Int64](repeating: 0, count: own.count)
      var stride: Int64 = 1
      for axis in own.indices.reversed() {
        result[axis] = own[axis] == 1 ? 0 : stride
        stride *= Int64(own[axis])
      }
      return result
    }
    var numbers = Numbers(seed: 5)
    let count = shape.reduce(1, *)
    let a = Values(CK_F32, numbers.array(shapeA.reduce(1, *)))
    let b = Values(CK_F32, numbers.array(shapeB.reduce(1, *)).map { $0 + 2 })
    let stridesA = strides(shapeA)
    let stridesB = strides(shapeB)
    let formulas: [(ck_operation, (Double, Double) -> Double)] = [
      (CK_ADD, { $0 + $1 }), (CK_SUBTRACT, { $0 - $1 }), (CK_MULTIPLY, { $0 * $1 }),
      (CK_DIVIDE, { $0 / $1 }), (CK_MAXIMUM, { max($0, $1) }), (CK_MINIMUM, { min($0, $1) }),
    ]
    for (operation, formula) in formulas {
      let result = Values(CK_F32, count: count)
      let status = ck_binary(
        operation, CK_F32, Int32(shape.count), shape.map(Int64.init), a.pointer, stridesA,
        b.pointer, stridesB, result.pointer)
      #expect(status == 0)
      let expected: [Double] = (0..<count).map { flat in
        var rest = flat
        var offsetA = 0
        var offsetB = 0
        for axis in shape.indices.reversed() {
          offsetA += rest % shape[axis] * Int(stridesA[axis])
          offsetB += rest % shape[axis] * Int(stridesB[axis])
          rest /= shape[axis]
        }
        return formula(Double(a[offsetA]), Double(b[offsetB]))
      }
      #expect(worstError(result.array, expected) < 1e-6)
    }
  }
}
