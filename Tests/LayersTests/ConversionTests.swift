import CKernels
import Engine
import Operators
import Testing

/// Tests kernels that convert element types, on critical values and with every instruction set.
@Suite("Conversions")
struct ConversionTests {
  /// Zeros, ties, the bounds of all types with their neighbours, subnormal numbers, and bit patterns of all sizes.
  private static let floats: [Float] = {
    let marks: [Float] = [
      0, -0.0, 0.5, 1.5, 2.5, -0.5, .infinity, -.infinity, .nan, -.nan, 0x1p31, -0x1p31, 0x1p32,
      65_504, 65_519, 65_520, 65_536, 2049, 2051, 257, 259, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25,
      0x1p-126, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1p-149, .greatestFiniteMagnitude, 16_777_218,
    ]
    let near: [Float] = marks.flatMap { [$0, -$0, $0.nextUp, $0.nextDown] }
    var generator = SplitMix64(seed: 5)
    return near
      + (0..<70_003).map { _ in
        Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator))
      }
  }()

  private func run(_ operation: any Operator, on input: ReferenceTensor) throws -> ReferenceTensor {
    let types = try #require(try operation.outputTypes(for: [OperatorInput(input.type)]))
    let candidate = try #require(operation.candidates.last)
    let outputs = try KernelTrial(threads: 2).run(candidate, inputs: [input], outputs: types)
    return try #require(outputs)[0]
  }

  @Test("Conversions to integers never trap and saturate at the range's bounds", arguments: 0..<4)
  func cutOff(instructions: Int32) throws {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    let input = ReferenceTensor([Self.floats.count], Self.floats.map(Double.init))
    let output = try run(CastOperator(to: .int32), on: input)
    #expect(output == input.converted(to: .int32))
  }

  @Test("Conversions of integers to floats round to nearest, ties to even", arguments: 0..<4)
  func widen(instructions: Int32) throws {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    let integerValues: [Int64] =
      [16_777_217, 16_777_219, -16_777_217, Int64(Int32.max), Int64(Int32.min), 0]
      + Self.floats.map { Int64(Int32(truncatingIfNeeded: $0.bitPattern)) }
    let input = ReferenceTensor([integerValues.count], integerValues: integerValues, .int32)
    let output = try run(CastOperator(to: .float32), on: input)
    #expect(output == input.converted(to: .float32))
  }

  @Test(
    "Conversions to smaller floating-point types round as IEEE 754 specifies", arguments: 0..<4,
    [ElementType.float16, .bfloat16])
  func round(instructions: Int32, element: ElementType) throws {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    let input = ReferenceTensor([Self.floats.count], Self.floats.map(Double.init))
    let output = try run(RoundOperator(to: element), on: input)
    for (given, found) in zip(input.values, output.values) {
      let expected: Double = element.rounded(given)
      let isRight: Bool =
        expected.isNaN ? found.isNaN : found == expected && found.sign == expected.sign
      #expect(isRight, "\(given) became \(found), expected \(expected)")
    }
  }
}
