import Engine
import Operators
import Testing

/// Tests that operators which gather, slice and pad keep integers exact.
@Suite("Operators that move elements")
struct IntegerMovementTests {
  /// Integers that `Double` cannot represent.
  private static let numbers: [Int64] = [.max, .min, (1 << 53) + 1, -(1 << 53) - 1]

  /// An operator with its inputs and the expected output.
  struct Case: Sendable, CustomTestStringConvertible {
    let operation: any Operator
    let inputs: [ReferenceTensor]
    let expected: ReferenceTensor

    var testDescription: String { operation.name }
  }

  static let cases: [Case] = {
    let vector = ReferenceTensor([4], integerValues: numbers, .int64)
    let matrix = ReferenceTensor([2, 2], integerValues: numbers, .int64)
    let zeros = ReferenceTensor([4], integerValues: [0, 0, 0, 0], .int64)
    let (first, second, third, fourth) = (numbers[0], numbers[1], numbers[2], numbers[3])
    func indices(_ integerValues: [Int64]) -> ReferenceTensor {
      ReferenceTensor([integerValues.count], integerValues: integerValues, .int32)
    }
    func made(_ integerValues: [Int64]) -> ReferenceTensor {
      ReferenceTensor([integerValues.count], integerValues: integerValues, .int64)
    }
    return [
      Case(
        operation: GatherOperator(axis: 0), inputs: [vector, indices([2, -4])],
        expected: made([third, first])),
      Case(
        operation: SliceBySizeOperator(axis: 0, size: 2), inputs: [vector, indices([1])],
        expected: made([second, third])),
      Case(
        operation: ReverseOperator(isReversed: [true]), inputs: [vector],
        expected: made([fourth, third, second, first])),
      Case(
        operation: LowerTriangularOperator(), inputs: [matrix],
        expected: ReferenceTensor([2, 2], integerValues: [first, 0, third, fourth], .int64)),
      Case(
        operation: WhereBroadcastableOperator(),
        inputs: [ReferenceTensor([4], integerValues: [1, 0, 0, 1], .bool), vector, zeros],
        expected: made([first, 0, 0, fourth])),
      // The fill value is a parameter of the padding operator. If it is infinite, the padding is the largest integer.
      Case(
        operation: ConstantPadOperator(value: .infinity, amounts: [1, 0]), inputs: [vector],
        expected: made([.max] + numbers)),
    ]
  }()

  @Test("Operators that move elements preserve 64-bit integers", arguments: cases)
  func integers(test: Case) throws {
    let inputs: [OperatorInput] = test.inputs.map { OperatorInput($0.type, value: $0) }
    let types: [TensorType] = try #require(try test.operation.outputTypes(for: inputs))
    #expect(try test.operation.define(test.inputs, types: types) == [test.expected])
  }
}
