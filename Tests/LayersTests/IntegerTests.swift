import Engine
import Operators
import Testing

/// An operator on integers that `Double` cannot represent, with the result that the test expects.
struct IntegerCase: Sendable, CustomTestStringConvertible {
  let name: String
  let operation: any Operator
  var element: ElementType = .int64
  let inputs: [[Int64]]
  let answer: [Int64]
  /// The element type of the result. Nil if the result has the same type as the inputs.
  var result: ElementType?

  var testDescription: String { name }

  private static let large: Int64 = (1 << 53) + 1

  static let all: [IntegerCase] = [
    IntegerCase(
      name: "a sum", operation: BinaryFunctionOperator(.add), inputs: [[large, -1], [2, 1]],
      answer: [large + 2, 0]),
    IntegerCase(
      name: "a sum that wraps around", operation: AddOperator(inputCount: 2), element: .int32,
      inputs: [[Int64(Int32.max)], [1]], answer: [Int64(Int32.min)]),
    IntegerCase(
      name: "a product of three", operation: MultiplyOperator(inputCount: 3),
      inputs: [[large], [3], [-1]], answer: [-3 * large]),
    IntegerCase(
      name: "a quotient rounded towards negative infinity",
      operation: BinaryFunctionOperator(.floorDivide),
      inputs: [[-7, 7, 7, Int64.min], [2, -2, 0, -1]], answer: [-4, -4, 0, Int64.min]),
    IntegerCase(
      name: "a remainder", operation: BinaryFunctionOperator(.modulo),
      inputs: [[-7, 7], [3, -3]], answer: [2, -2]),
    IntegerCase(
      name: "a comparison", operation: BinaryFunctionOperator(.isGreater),
      inputs: [[large, large - 1], [large - 1, large]], answer: [1, 0]),
    IntegerCase(
      name: "truth values", operation: BinaryFunctionOperator(.logicalXor), element: .bool,
      inputs: [[0, 1, 1], [1, 1, 0]], answer: [1, 0, 1]),
    IntegerCase(
      name: "the largest", operation: ReduceAxesOperator(.maximum),
      inputs: [[large - 1, large]], answer: [large]),
    IntegerCase(
      name: "the index of the largest value",
      operation: ReduceAxesOperator(.indexOfMaximum, axes: [0]),
      inputs: [[large - 1, large, large]], answer: [1], result: .int32),
    IntegerCase(
      name: "the sum over an axis", operation: ReduceAxesOperator(.sum),
      inputs: [[large, 1, 1]], answer: [large + 2]),
    IntegerCase(
      name: "running sums that wrap around", operation: CumSumOperator(axis: 0), element: .int32,
      inputs: [[Int64(Int32.max), 1, 1]],
      answer: [Int64(Int32.max), Int64(Int32.min), Int64(Int32.min) + 1]),
    IntegerCase(
      name: "running sums", operation: CumSumOperator(axis: 0, isExclusive: true, isReversed: true),
      inputs: [[5, large, 1]], answer: [large + 1, 1, 0]),
    IntegerCase(
      name: "a sorting", operation: ArgSortOperator(axis: 0), inputs: [[large, large - 1, large]],
      answer: [1, 0, 2], result: .int32),
    IntegerCase(
      name: "the largest two", operation: TopKOperator(axis: 0, count: 2),
      inputs: [[large - 1, large, 3]], answer: [large, large - 1]),
    IntegerCase(
      name: "a scattered sum", operation: ScatterOperator(axis: 0, mode: .add),
      inputs: [[large, 1], [0, 0], [1, 1]], answer: [large + 2, 1]),
    IntegerCase(
      name: "a scattered quotient", operation: ScatterNDOperator(mode: .divide), element: .int32,
      inputs: [[-7, 7], [0], [2]], answer: [-3, 7]),
    IntegerCase(
      name: "a scattered update", operation: ScatterAlongAxisOperator(axis: 0),
      inputs: [[0, 1], [-1], [large]], answer: [0, large]),
    IntegerCase(
      name: "marks", operation: OneHotOperator(vectorSize: 3), element: .int32, inputs: [[2]],
      answer: [0, 0, 1], result: .float32),
    IntegerCase(
      name: "the indices of nonzero values", operation: WhereNonZeroOperator(), element: .bool,
      inputs: [[0, 1, 1]], answer: [1, 2], result: .float32),
    IntegerCase(
      name: "a range", operation: RangeDynamicOperator(start: 1, step: 1),
      inputs: [[large], [large - 3], [2]], answer: [large - 3, large - 1]),
    IntegerCase(
      name: "a magnitude", operation: UnaryOperator(.magnitude), inputs: [[-large, 2]],
      answer: [large, 2]),
    IntegerCase(
      name: "a threshold", operation: UnaryOperator(.threshold(alpha: 2)), inputs: [[large, -5]],
      answer: [large, 2]),
    IntegerCase(
      name: "a sign", operation: UnaryFunctionOperator(.sign), inputs: [[-large, 0, large]],
      answer: [-1, 0, 1]),
    IntegerCase(
      name: "a sum with a constant that wraps around",
      operation: BinaryFunctionOperator(.add, number: 1), element: .int32,
      inputs: [[Int64(Int32.max)]], answer: [Int64(Int32.min)]),
    IntegerCase(
      name: "a comparison with a fraction",
      operation: BinaryFunctionOperator(.isGreater, number: 1.5), element: .int32,
      inputs: [[1, 2]], answer: [0, 1]),
    IntegerCase(
      name: "a conversion", operation: CastOperator(to: .int32),
      inputs: [[large, Int64(Int32.max) + 1]], answer: [1, Int64(Int32.min)], result: .int32),
    IntegerCase(
      name: "a quotient truncated towards zero", operation: BinaryFunctionOperator(.divide),
      element: .int32,
      inputs: [[16_777_217, -7, 7, 5, Int64(Int32.min)], [1, 2, -2, 0, -1]],
      answer: [16_777_217, -3, -3, 0, Int64(Int32.min)]),
    IntegerCase(
      name: "a power", operation: BinaryFunctionOperator(.power), element: .int32,
      inputs: [[1024, 1100, 3, 10, -3, 7, 65_536], [2, 2, 12, 9, 3, 0, 2]],
      answer: [1_048_576, 1_210_000, 531_441, 1_000_000_000, -27, 1, 0]),
    IntegerCase(
      name: "a negative power", operation: BinaryFunctionOperator(.power),
      inputs: [[1, -1, -1, 2, 0], [-5, -5, -4, -1, -1]], answer: [1, -1, 1, 0, 0]),
    IntegerCase(
      name: "a power that saturates",
      operation: BinaryFunctionOperator(.power, overflow: .saturates), element: .int32,
      inputs: [[65_536, -65_536, -65_537, 2, -2, -2, 0], [2, 2, 3, 31, 31, 32, 9]],
      answer: [
        Int64(Int32.max), Int64(Int32.max), Int64(Int32.min), Int64(Int32.max), Int64(Int32.min),
        Int64(Int32.max), 0,
      ]),
    IntegerCase(
      name: "a product that saturates",
      operation: BinaryFunctionOperator(.multiply, overflow: .saturates),
      inputs: [[1 << 40, -(1 << 40), 3], [1 << 40, 1 << 40, 4]],
      answer: [Int64.max, Int64.min, 12]),
    IntegerCase(
      name: "a sum that saturates", operation: BinaryFunctionOperator(.add, overflow: .saturates),
      element: .int32, inputs: [[Int64(Int32.max), Int64(Int32.min), 1], [1, -1, 1]],
      answer: [Int64(Int32.max), Int64(Int32.min), 2]),
    IntegerCase(
      name: "a difference that saturates",
      operation: BinaryFunctionOperator(.subtract, overflow: .saturates), element: .int32,
      inputs: [[0, Int64(Int32.min)], [Int64(Int32.min), 1]],
      answer: [Int64(Int32.max), Int64(Int32.min)]),
    IntegerCase(
      name: "a sum over an axis that saturates at its last addition",
      operation: ReduceAxesOperator(.sum, overflow: .saturates), element: .int32,
      inputs: [[Int64(Int32.max), Int64(Int32.max), Int64(Int32.min), 5]],
      answer: [Int64(Int32.max)]),
    IntegerCase(
      name: "a sum over an axis that returns into the range",
      operation: ReduceAxesOperator(.sum, overflow: .saturates), element: .int32,
      inputs: [[Int64(Int32.max), 5, -6]], answer: [Int64(Int32.max) - 1]),
    IntegerCase(
      name: "a product over an axis that saturates",
      operation: ReduceAxesOperator(.product, overflow: .saturates), element: .int32,
      inputs: [[65_536, 65_536, 65_536, -1]], answer: [Int64(Int32.min)]),
    IntegerCase(
      name: "running sums that saturate",
      operation: CumSumOperator(axis: 0, overflow: .saturates), element: .int32,
      inputs: [[Int64(Int32.max), 1, -2]],
      answer: [Int64(Int32.max), Int64(Int32.max), Int64(Int32.max) - 1]),
    IntegerCase(
      name: "a mean of large numbers", operation: ReduceAxesOperator(.mean),
      inputs: [[Int64.max, Int64.max, Int64.max - 3]], answer: [Int64.max - 1]),
    IntegerCase(
      name: "a negative mean truncated towards zero", operation: ReduceAxesOperator(.mean),
      element: .int32,
      inputs: [[-16_777_217, -16_777_218]], answer: [-16_777_217]),
    IntegerCase(
      name: "a mean truncated towards zero", operation: ReduceAxesOperator(.mean), element: .int32,
      inputs: [[1, 2, 4]], answer: [2]),
  ]
}

@Suite("Integers")
struct IntegerTests {
  @Test("Operators on integers compute in integer arithmetic", arguments: IntegerCase.all)
  func exact(test: IntegerCase) throws {
    let inputs: [ReferenceTensor] = test.inputs.map {
      ReferenceTensor([$0.count], integerValues: $0, test.element)
    }
    let known: [OperatorInput] = inputs.map { OperatorInput($0.type) }
    let accepted: [Bool] = known.indices.map { test.operation.takes(test.element, at: $0) }
    #expect(!accepted.contains(false))
    let types = try #require(
      try test.operation.outputTypes(for: inputs.map { OperatorInput($0.type, value: $0) }))
    let answer = try test.operation.define(inputs, types: types)[0]
    #expect(types[0].element == test.result ?? test.element)
    #expect(answer.type == types[0])
    #expect(
      (answer.element.isInteger ? answer.integerValues : answer.values.map(Int64.init))
        == test.answer)
  }

  @Test("Operators on integers are refused if the result would be fractional")
  func fractions() {
    #expect(!UnaryFunctionOperator(.exponential).takes(.int32, at: 0))
    #expect(!UnaryOperator(.squareRoot).takes(.int64, at: 0))
    #expect(!BinaryFunctionOperator(.add).takes(.bool, at: 0))
    #expect(BinaryFunctionOperator(.divide).takes(.float16, at: 0))
  }

  @Test("An integer raised to a fractional power is truncated")
  func fractionalPower() throws {
    let power = BinaryFunctionOperator(.power)
    let inputs = [
      ReferenceTensor([3], integerValues: [16, 2, 1_000_003], .int32),
      ReferenceTensor([3], [0.5, 2.5, 1]),
    ]
    let types = try #require(
      try power.outputTypes(for: inputs.map { OperatorInput($0.type, value: $0) }))
    #expect(try power.define(inputs, types: types)[0].integerValues == [4, 5, 1_000_003])
  }
}
