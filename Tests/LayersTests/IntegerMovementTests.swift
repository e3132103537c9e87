import Engine
import Operators
import Testing

/// Gathering and slicing of whole numbers.
@Suite("Operators that move elements")
struct MovedElementTests {
  /// Numbers that `Double` cannot hold.
  private static let numbers: [Int64] = [.max, .min, (1 << 53) + 1, -(1 << 53) - 1]

  /// An operator with inputs, and what it makes of them.
  struct Case: Sendable, CustomTestStringConvertible {
    let operation: any Operator
    let inputs: [ReferenceTensor]
    let expected: ReferenceTensor

    var testDescription: String { operation.name }
  }

  static let cases: [Case] = {
    let vector = ReferenceTensor([4], wholes: numbers, .int64)
    let matrix = ReferenceTensor([2, 2], wholes: numbers, .int64)
    let zeros = ReferenceTensor([4], wholes: [0, 0, 0, 0], .int64)
    let (first, second, third, fourth) = (numbers[0], numbers[1], numbers[2], numbers[3])
    func indices(_ wholes: [Int64]) -> ReferenceTensor {
      ReferenceTensor([wholes.count], wholes: wholes, .int32)
    }
    func made(_ wholes: [Int64]) -> ReferenceTensor {
      ReferenceTensor([wholes.count], wholes: wholes, .int64)
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
        expected: ReferenceTensor([2, 2], wholes: [first, 0, third, fourth], .int64)),
      Case(
        operation: WhereBroadcastableOperator(),
        inputs: [ReferenceTensor([4], wholes: [1, 0, 0, 1], .bool), vector, zeros],
        expected: made([first, 0, 0, fourth])),
      // What is filled in is a number of the padding's own, however large.
      Case(
        operation: ConstantPadOperator(value: .infinity, amounts: [1, 0]), inputs: [vector],
        expected: made([.max] + numbers)),
    ]
  }()

  @Test("keep whole numbers of 64 bits", arguments: cases)
  func wholeNumbers(test: Case) throws {
    let inputs: [OperatorInput] = test.inputs.map { OperatorInput($0.type, value: $0) }
    let types: [TensorType] = try #require(try test.operation.outputTypes(for: inputs))
    #expect(try test.operation.define(test.inputs, types: types) == [test.expected])
  }
}
