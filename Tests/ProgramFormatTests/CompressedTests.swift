import Engine
import ModelFormat
import Testing

@testable import ProgramFormat

@Suite("Compressed constants of programs")
struct CompressedTests {
  private typealias Draft = ProgramDraft

  @Test("Codes of four bits are scaled block by block, and stay codes in memory")
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
    // Codes 1 2 −8 −1, 7 0 3 5; offsets 1 0, −1 1.
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
    // Two values only, which is one bit for each code.
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
    draft.operations[0].attributes["lut"] = Draft.floats([2], [1, 3])
    #expect(try draft.run(values) == [[3, 1, 1, 3]])
  }
}
