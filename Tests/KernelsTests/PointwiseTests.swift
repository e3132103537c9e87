import CKernels
import COneDNN
import Foundation
import Testing

/// A function of one value: its parameters, its formula, and the range of the values to test it with.
struct FunctionCase: Sendable, CustomTestStringConvertible {
  let function: ck_function
  let name: String
  var alpha: Float = 0
  var beta: Float = 0
  var range: ClosedRange<Double> = -5...5
  let formula: @Sendable (Double) -> Double
  var testDescription: String { name }

  init(
    _ function: ck_function, _ name: String, alpha: Float = 0, beta: Float = 0,
    in range: ClosedRange<Double> = -5...5, _ formula: @escaping @Sendable (Double) -> Double
  ) {
    (self.function, self.name, self.alpha, self.beta) = (function, name, alpha, beta)
    (self.range, self.formula) = (range, formula)
  }

  /// Every function of one value. The formulas also define the result for NaN.
  static let all: [FunctionCase] = [
    .init(CK_IDENTITY, "identity") { $0 },
    .init(CK_AFFINE, "affine", alpha: 2, beta: -1) { 2 * $0 - 1 },
    .init(CK_RELU, "relu") { $0 < 0 ? 0 : $0 },
    .init(CK_LEAKY_RELU, "leaky", alpha: 0.125) { $0 < 0 ? 0.125 * $0 : $0 },
    .init(CK_LEAKY_RELU, "leaky by 0") { $0 < 0 ? 0 : $0 },
    .init(CK_ELU, "elu", alpha: 0.75, in: -9...5) { $0 < 0 ? 0.75 * expm1($0) : $0 },
    .init(CK_TANH, "tanh", in: -12...12) { tanh($0) },
    .init(CK_SCALED_TANH, "scaled tanh", alpha: 1.5, beta: 0.5, in: -12...12) {
      1.5 * tanh(0.5 * $0)
    },
    .init(CK_SIGMOID, "sigmoid", in: -80...80) { 1 / (1 + exp(-$0)) },
    .init(CK_HARD_SIGMOID, "hard sigmoid", alpha: 0.25, beta: 0.5) {
      let y = 0.25 * $0 + 0.5
      return y < 0 ? 0 : y > 1 ? 1 : y
    },
    .init(CK_SOFTPLUS, "softplus", in: -60...60) { ($0 > 0 ? $0 : 0) + log1p(exp(-abs($0))) },
    .init(CK_SOFTSIGN, "softsign") { $0 / (1 + abs($0)) },
    .init(CK_THRESHOLDED_RELU, "thresholded", alpha: 1) { $0 < 1 ? 0 : $0 },
    .init(CK_PARAMETRIC_SOFTPLUS, "parametric softplus", alpha: 2, beta: 0.5, in: -9...9) {
      2 * (($0 > 0 ? 0.5 * $0 : 0) + log1p(exp(-abs(0.5 * $0))))
    },
    .init(CK_CLIP, "clip", alpha: -1, beta: 2) { $0 < -1 ? -1 : $0 > 2 ? 2 : $0 },
    .init(CK_EXP, "exp", in: -100...88) { exp($0) },
    .init(CK_LOG, "log", in: 1e-6...50) { log($0) },
    .init(CK_SQRT, "sqrt", in: 0...9) { $0.squareRoot() },
    .init(CK_RSQRT, "rsqrt", in: 0.01...9) { 1 / $0.squareRoot() },
    .init(CK_INVERSE, "inverse", in: 0.01...9) { 1 / $0 },
    .init(CK_POWER, "power", alpha: 2.5, in: 0...9) { pow($0, 2.5) },
    .init(CK_POWER, "square", alpha: 2) { $0 * $0 },
    .init(CK_POWER, "cube", alpha: 3) { $0 * $0 * $0 },
    .init(CK_ABS, "abs") { abs($0) },
    .init(CK_FLOOR, "floor") { $0.rounded(.down) },
    .init(CK_CEIL, "ceil") { $0.rounded(.up) },
    .init(CK_ROUND, "round") { $0.rounded(.toNearestOrEven) },
    .init(CK_SIGN, "sign") { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 },
    .init(CK_EXP2, "exp2", in: -20...20) { exp2($0) },
    .init(CK_SIN, "sin") { sin($0) },
    .init(CK_COS, "cos") { cos($0) },
    .init(CK_TAN, "tan") { tan($0) },
    .init(CK_ASIN, "asin", in: -1...1) { asin($0) },
    .init(CK_ACOS, "acos", in: -1...1) { acos($0) },
    .init(CK_ATAN, "atan") { atan($0) },
    .init(CK_SINH, "sinh") { sinh($0) },
    .init(CK_COSH, "cosh") { cosh($0) },
    .init(CK_ASINH, "asinh") { asinh($0) },
    .init(CK_ACOSH, "acosh", in: 1.01...9) { acosh($0) },
    .init(CK_ATANH, "atanh", in: -0.99...0.99) { atanh($0) },
    .init(CK_ERF, "erf") { erf($0) },
    .init(CK_NOT, "not") { $0 == 0 ? 1 : 0 },
    .init(CK_CONSTANT, "constant", alpha: 0.25) { _ in 0.25 },
  ]
}

/// A function of two values with its formula.
struct JoinCase: Sendable, CustomTestStringConvertible {
  let function: ck_function
  let name: String
  let formula: @Sendable (Double, Double) -> Double
  var testDescription: String { name }

  init(
    _ function: ck_function, _ name: String,
    _ formula: @escaping @Sendable (Double, Double) -> Double
  ) {
    (self.function, self.name, self.formula) = (function, name, formula)
  }

  static let all: [JoinCase] = [
    .init(CK_ADD, "add") { $0 + $1 },
    .init(CK_SUBTRACT, "subtract") { $0 - $1 },
    .init(CK_MULTIPLY, "multiply") { $0 * $1 },
    .init(CK_DIVIDE, "divide") { $0 / $1 },
    .init(CK_MAXIMUM, "maximum") { $0.isNaN || $1.isNaN ? .nan : max($0, $1) },
    .init(CK_MINIMUM, "minimum") { $0.isNaN || $1.isNaN ? .nan : min($0, $1) },
    .init(CK_PRELU, "prelu") { $0 < 0 ? $0 * $1 : $0 },
    .init(CK_POW, "pow") { pow($0, $1) },
    .init(CK_MODULO, "modulo") { $0 - ($0 / $1).rounded(.down) * $1 },
    .init(CK_FLOOR_DIVIDE, "floor divide") { ($0 / $1).rounded(.down) },
    .init(CK_EQUAL, "equal") { $0 == $1 ? 1 : 0 },
    .init(CK_NOT_EQUAL, "not equal") { $0 != $1 ? 1 : 0 },
    .init(CK_LESS, "less") { $0 < $1 ? 1 : 0 },
    .init(CK_LESS_EQUAL, "less or equal") { $0 <= $1 ? 1 : 0 },
    .init(CK_GREATER, "greater") { $0 > $1 ? 1 : 0 },
    .init(CK_GREATER_EQUAL, "greater or equal") { $0 >= $1 ? 1 : 0 },
    .init(CK_AND, "and") { $0 != 0 && $1 != 0 ? 1 : 0 },
    .init(CK_OR, "or") { $0 != 0 || $1 != 0 ? 1 : 0 },
    .init(CK_XOR, "xor") { ($0 != 0) != ($1 != 0) ? 1 : 0 },
    .init(CK_GATE, "gate") { $1 > 0 ? $0 : 0 },
    .init(CK_MASK, "keep") { $1 != 0 ? $0 : 0 },
    .init(CK_INVERTED_MASK, "drop") { $1 == 0 ? $0 : 0 },
  ]
}

/// Returns whether a float32 result agrees with the result of a formula in `Double`, within a relative error. NaN and
/// infinities must match exactly.
func agrees(_ got: Float, _ wanted: Double, within part: Double) -> Bool {
  if wanted.isNaN { return got.isNaN }
  if abs(wanted) > Double(Float.greatestFiniteMagnitude) { return got == Float(wanted) }
  return abs(Double(got) - wanted) <= part * abs(wanted) + 1e-37
}

extension KernelTests {
  /// Tests pointwise programs on every instruction set.
  @Suite("Pointwise programs", .serialized)
  struct PointwiseTests {
    /// The largest relative error of a function.
    static let functionTolerance: Double = 1e-6

    @Test("Every function is within 10⁻⁶ of its formula", arguments: FunctionCase.all)
    func functions(item: FunctionCase) throws {
      // The count is odd, so it leaves partial tiles and vectors.
      let count = 20_003
      let step = (item.range.upperBound - item.range.lowerBound) / Double(count - 1)
      let inputs = (0..<count).map { Float(item.range.lowerBound + step * Double($0)) }
      try expectFormula(item, inputs)
    }

    @Test(
      "Every function handles NaN, infinities, zeros and tiny numbers", arguments: FunctionCase.all)
    func specialValues(item: FunctionCase) throws {
      let large: [Float] = [.nan, .infinity, -.infinity, 1000, -1000, 88.8, -104.5]
      try expectFormula(item, large + [0, -0.0, 0x1p-140, -0x1p-140, 1, -1, 0.5, -0.5])
    }

    private func expectFormula(_ item: FunctionCase, _ inputs: [Float]) throws {
      let source = Values(CK_F32, inputs)
      let operation = ck_operation(
        kind: item.function, a: 0, b: 0, alpha: item.alpha, beta: item.beta)
      let program = try Program([inputs.count], [.init(CK_F32, [inputs.count])], [operation])
      onEachInstructionSet { level in
        let result = program([source])
        let wrong = inputs.indices.filter {
          !agrees(
            result[$0], item.formula(Double(inputs[$0])), within: Self.functionTolerance)
        }
        #expect(wrong.isEmpty, "level \(level): f(\(inputs[wrong[0]])) = \(result[wrong[0]])")
      }
    }

    @Test(
      "Every operation on two values matches its formula, also for NaN", arguments: JoinCase.all)
    func joins(item: JoinCase) throws {
      var numbers = Numbers(seed: 11)
      let special: [Float] = [.nan, .infinity, -.infinity, 0, -0.0, 1, -2.5]
      var a = special.flatMap { value in special.map { _ in value } }
      var b = special.flatMap { _ in special }
      for _ in 0..<3011 {
        a.append(Float(numbers.integer(below: 512) - 256) / 64)
        b.append(Float(numbers.integer(below: 512) - 256) / 64)
      }
      let count = a.count
      let operation = ck_operation(kind: item.function, a: 0, b: 1, alpha: 0, beta: 0)
      let program = try Program(
        [count], [.init(CK_F32, [count]), .init(CK_F32, [count])], [operation])
      let inputs = [Values(CK_F32, a), Values(CK_F32, b)]
      onEachInstructionSet { level in
        let result = program(inputs)
        let wrong = a.indices.filter {
          !agrees(
            result[$0], item.formula(Double(a[$0]), Double(b[$0])),
            within: Self.functionTolerance)
        }
        #expect(
          wrong.isEmpty, "level \(level): \(a[wrong[0]]), \(b[wrong[0]]) → \(result[wrong[0]])")
      }
    }

    @Test("The mask operations select bits, also of NaN", arguments: [CK_F32, CK_BF16, CK_F16])
    func choosing(type: ck_type) throws {
      let condition: [Float] = [1, 0, .nan, -0.0, 0, 2, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1]
      let yes = condition.indices.map { $0 == 0 ? Float.nan : Float($0) }
      let no = condition.indices.map { $0 == 1 ? -Float.infinity : -Float($0) }
      let count = condition.count
      let inputs = [Values(CK_F32, condition), Values(type, yes), Values(type, no)]
      let program = try Program(
        [count], [.init(CK_F32, [count]), .init(type, [count]), .init(type, [count])],
        [
          .init(kind: CK_MASK, a: 1, b: 0, alpha: 0, beta: 0),
          .init(kind: CK_INVERTED_MASK, a: 2, b: 0, alpha: 0, beta: 0),
          .init(kind: CK_BITWISE_OR, a: 3, b: 4, alpha: 0, beta: 0),
        ], output: type)
      onEachInstructionSet { level in
        let result = program(inputs)
        for index in 0..<count {
          let wanted = condition[index] == 0 ? inputs[2][index] : inputs[1][index]
          #expect(result[index] == wanted || result[index].isNaN && wanted.isNaN, "level \(level)")
        }
      }
    }
  }
}
