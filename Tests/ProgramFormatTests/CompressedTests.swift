import Engine
import ModelFormat
import Testing

@testable import ProgramFormat

@Suite("Compressed constants of programs")
struct CompressedTests {
  private typealias Draft = ProgramDraft

  @Test("4-bit values are scaled block by block, and stay quantised in memory")
  func blocks() throws {
    var draft = ProgramDraft()
    draft.inputs = [Draft.named("x", Draft.tensor([2, 4]))]
    draft.operations = [
      Draft.operation(
        "constexpr_blockwise_shift_scale",
        [
          "data": [Draft.bytes([2, 4], .int4, [0x21, 0xF8, 0x07, 0x53])],
          "scale": [Draft.floats([2, 2], [1, 10, 0.5, 2])],
          "offset": [Draft.bytes([2, 2], .int4, [0x01, 0x1F])],
        ], [("w", Draft.tensor([2, 4]))]),
      Draft.operation("add", ["x": ["x"], "y": ["w"]], [("y", Draft.tensor([2, 4]))]),
    ]
    draft.outputs = ["y"]
    // The quantised values of the two rows are 1 2 −8 −1 and 7 0 3 5. The offsets, one for each half of a row, are 1 0
    // and −1 1.
    let made = try draft.run([([2, 4], [Float](repeating: 0, count: 8))])
    #expect(made == [[0, 1, -80, -10, 4, 0.5, 4, 8]])
    let constants = try draft.graph().graph.values.compactMap { $0.constant?.stored?.byteCount }
    #expect(constants.max() == 4 + 16 + 2)
  }

  @Test("Before iOS 18 operands are attributes")
  func attributes() throws {
    var draft = ProgramDraft()
    draft.opset = .iOS16
    draft.inputs = [Draft.named("x", Draft.tensor([2, 2]))]
    var table = Draft.operation("constexpr_lut_to_dense", [:], [("w", Draft.tensor([2, 2]))])
    table.attributes = [
      "indices": Draft.bytes([1], .uint8, [0b11_00_10_01]),
      "lut": Draft.floats([4], [1, 3, 5, 7]),
      "shape": Draft.bytes([2], .uint32, [2, 0, 0, 0, 2, 0, 0, 0]),
    ]
    // A table of three values is refused.
    var bad = table
    bad.attributes["lut"] = Draft.floats([3], [1, 3, 5])
    draft.operations = [
      table, Draft.operation("add", ["x": ["x"], "y": ["w"]], [("y", Draft.tensor([2, 2]))]),
    ]
    draft.outputs = ["y"]
    let values: [(shape: Shape, values: [Float])] = [([2, 2], [0, 0, 0, 0])]
    #expect(throws: EngineError.self) {
      var broken = draft
      broken.operations[0] = bad
      _ = try broken.graph()
    }
    // For a table of two values, each index has one bit.
    draft.operations[0].attributes["lut"] = Draft.floats([2], [1, 3])
    #expect(try draft.run(values) == [[3, 1, 1, 3]])
  }

  private static func convolution(_ kind: String, scales: [Float], biases: [Float]) -> ProgramDraft
  {
    var draft = ProgramDraft()
    draft.opset = .iOS16
    draft.inputs = [Draft.named("x", Draft.tensor([1, 2, 1, 2]))]
    draft.operations = [
      Draft.operation(
        "conv_quantized",
        [
          "x": ["x"], "weight": [Draft.bytes([2, 2, 1, 1], .uint8, [0, 1, 2, 255])],
          "quantization_type": [Draft.string(kind)],
          "quant_scale": [Draft.floats([scales.count], scales)],
          "quant_bias": [Draft.floats([biases.count], biases)],
        ], [("y", Draft.tensor([1, 2, 1, 2]))])
    ]
    draft.outputs = ["y"]
    return draft
  }

  @Test("The weights of conv_quantized are quantised values times a scale plus a bias")
  func quantizedConvolution() throws {
    let x: (shape: Shape, values: [Float]) = ([1, 2, 1, 2], [1, 2, 10, 20])
    // With a scale and a bias per channel, the weights are −1 0 and −2 124.5. With a single scale and bias for all
    // channels, they are −1 −0.5 and 0 126.5.
    let each = Self.convolution("linear", scales: [1, 0.5], biases: [-1, -3])
    #expect(try each.run([x]) == [[-1, -2, 1_243, 2_486]])
    let one = Self.convolution("linear", scales: [0.5], biases: [-1])
    #expect(try one.run([x]) == [[-6, -12, 1_265, 2_530]])
  }

  @Test("conv_quantized is refused by name if its weights are not constant")
  func convolutionRefused() throws {
    let table = Self.convolution("lut", scales: [1], biases: [0])
    let error = try #require(throws: EngineError.self) { _ = try table.graph() }
    #expect("\(error)".contains("'lut', expected 'linear'"))
    #expect("\(error)".contains("conv_quantized"))
    let odd = Self.convolution("linear", scales: [1, 2, 3], biases: [0])
    let second = try #require(throws: EngineError.self) { _ = try odd.graph() }
    #expect("\(second)".contains("'quant_scale' holds 3 numbers, expected 1 or 2"))
  }

  @Test("8-bit floating-point weights are refused with a message", arguments: [true, false])
  func smallFloats(_ hasLongExponent: Bool) throws {
    var draft = ProgramDraft()
    draft.inputs = [Draft.named("x", Draft.tensor([2]))]
    let type: Spec.MILSpec.DataType = hasLongExponent ? .float8e5m2 : .float8e4m3fn
    draft.operations = [
      Draft.operation(
        "constexpr_blockwise_shift_scale",
        [
          "data": [Draft.bytes([2], type, [0x38, 0x40])],
          "scale": [Draft.floats([1], [1])],
        ], [("w", Draft.tensor([2]))]),
      Draft.operation("add", ["x": ["x"], "y": ["w"]], [("y", Draft.tensor([2]))]),
    ]
    draft.outputs = ["y"]
    let error = try #require(throws: EngineError.self) { _ = try draft.graph() }
    #expect("\(error)".contains("float8"))
    #expect("\(error)".contains("write the program with float16"))
    #expect("\(error)".contains("constexpr_blockwise_shift_scale"))
  }
}
