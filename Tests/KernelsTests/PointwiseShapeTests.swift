import CKernels
import COneDNN
import Foundation
import Testing

/// The shapes of a program and of its two inputs.
struct BroadcastCase: Sendable, CustomTestStringConvertible {
  let shape: [Int], first: [Int], second: [Int]
  var testDescription: String { "\(first) and \(second)" }

  static let all: [BroadcastCase] = [
    .init(shape: [2, 3, 4, 5], first: [2, 3, 4, 5], second: [2, 3, 4, 5]),
    .init(shape: [2, 3, 4, 5], first: [2, 3, 4, 5], second: [1, 1, 1, 1]),
    .init(shape: [2, 3, 4, 5], first: [2, 3, 4, 5], second: [1, 3, 1, 1]),
    .init(shape: [2, 3, 4, 5], first: [1, 3, 4, 1], second: [2, 1, 1, 5]),
    .init(shape: [7001, 3], first: [7001, 3], second: [1, 3]),
    .init(shape: [3, 7001], first: [3, 1], second: [3, 7001]),
    .init(shape: [3, 33, 64], first: [3, 33, 64], second: [3, 1, 64]),
    .init(shape: [1], first: [1], second: [1]),
    .init(
      shape: [2, 2, 2, 2, 2, 2, 2, 2], first: [2, 1, 2, 1, 2, 1, 2, 1],
      second: [1, 2, 1, 2, 1, 2, 1, 2]),
  ]
}

extension KernelTests.PointwiseTests {
  /// The program relu(a · b + 0.5) − b.
  private static let chain: [ck_operation] = [
    .init(kind: CK_MULTIPLY, a: 0, b: 1, alpha: 0, beta: 0),
    .init(kind: CK_AFFINE, a: 2, b: 0, alpha: 1, beta: 0.5),
    .init(kind: CK_LEAKY_RELU, a: 3, b: 0, alpha: 0, beta: 0),
    .init(kind: CK_SUBTRACT, a: 4, b: 1, alpha: 0, beta: 0),
  ]

  @Test("A chain broadcasts over any axes, in every type", arguments: BroadcastCase.all)
  func broadcasting(item: BroadcastCase) throws {
    var numbers = Numbers(seed: 5)
    let a = numbers.array(item.first.reduce(1, *))
    let b = numbers.array(item.second.reduce(1, *))
    for type in [CK_F32, CK_BF16, CK_F16] {
      let inputs = [Values(type, a), Values(CK_F32, b)]
      let first = Program.Input(type, item.first), second = Program.Input(CK_F32, item.second)
      let expected: [Double] = (0..<item.shape.reduce(1, *)).map { index in
        let x = Double(inputs[0][first.position(of: index, in: item.shape)])
        let y = Double(inputs[1][second.position(of: index, in: item.shape)])
        return max(x * y + 0.5, 0) - y
      }
      let program = try Program(item.shape, [first, second], Self.chain, output: type)
      onEachInstructionSet { level in
        let error = worstError(program(inputs).array, expected)
        #expect(error < tolerance(type), "\(type), level \(level)")
      }
    }
  }

  @Test("One and three threads give the same bits, also in place")
  func threads() throws {
    var numbers = Numbers(seed: 6)
    let shape = [70_001, 3]
    let a = numbers.array(210_003)
    let b = Values(CK_F32, numbers.array(3))
    let program = try Program(
      shape, [.init(CK_BF16, shape), .init(CK_F32, [1, 3])], Self.chain, output: CK_BF16)
    defer { adnn_set_threads(2) }
    onEachInstructionSet { level in
      let source = Values(CK_BF16, a)
      adnn_set_threads(1)
      let alone = program([source, b]).array
      adnn_set_threads(3)
      #expect(program([source, b]).array == alone, "level \(level)")
      program.run([source, b], into: source)
      #expect(source.array == alone, "in place, level \(level)")
    }
  }

  @Test("Programs beyond the limits are refused")
  func limits() {
    var good = ck_program_description()
    good.rank = 1
    good.dimensions.0 = 4
    good.input_count = 1
    good.inputs.0 = ck_input(type: CK_F32, strides: (1, 0, 0, 0, 0, 0, 0, 0))
    good.output_type = CK_F32
    good.operation_count = 1
    good.operations.0 = ck_operation(kind: CK_ABS, a: 0, b: 0, alpha: 0, beta: 0)
    func isRefused(_ change: (inout ck_program_description) -> Void) -> Bool {
      var description = good
      change(&description)
      guard let program = ck_program_create(&description) else { return true }
      ck_program_destroy(program)
      return false
    }
    #expect(!isRefused { _ in })
    #expect(isRefused { $0.rank = 9 })
    #expect(isRefused { $0.dimensions.0 = -1 })
    #expect(isRefused { $0.input_count = 9 })
    #expect(isRefused { $0.operation_count = 17 })
    #expect(isRefused { $0.inputs.0.type = CK_S32 })
    #expect(isRefused { $0.output_type = CK_S8 })
    #expect(!isRefused { $0.output_type = CK_U8 })
    #expect(isRefused { $0.operations.0.a = 1 })
    #expect(isRefused { $0.operations.0 = .init(kind: CK_ADD, a: 0, b: 1, alpha: 0, beta: 0) })
    #expect(isRefused { $0.operations.0.kind = ck_function(rawValue: 63) })
  }
}
