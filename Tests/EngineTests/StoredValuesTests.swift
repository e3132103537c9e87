import Engine
import Testing

@Suite("Values as a file keeps them")
struct StoredValuesTests {
  private func decode(_ values: StoredValues, _ shape: Shape) throws -> [Float] {
    try Constant(TensorType(shape), values).floats()
  }

  @Test("Plain numbers of every type become themselves")
  func plain() throws {
    #expect(try decode(StoredValues([0, 0, 0x80, 0x3F], of: .float32), [1]) == [1])
    #expect(try decode(StoredValues([0, 0x3C, 0, 0xC0], of: .float16), [2]) == [1, -2])
    #expect(try decode(StoredValues([0x80, 0x3F], of: .bfloat16), [1]) == [1])
    #expect(try decode(StoredValues([0xFF, 0x7F], of: .int8), [2]) == [-1, 127])
    #expect(try decode(StoredValues([0xFF, 0x7F], of: .uint8), [2]) == [255, 127])
    #expect(try decode(StoredValues([0xFE, 0xFF], of: .int16), [1]) == [-2])
    #expect(try decode(StoredValues([1, 0, 0, 0, 0, 0, 0, 0], of: .int64), [1]) == [1])
  }

  @Test("Whole numbers that a file keeps are exact, under another shape too")
  func wholes() throws {
    let bytes: [UInt8] = [
      1, 0, 0, 0, 0, 0, 0x20, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
    let constant = Constant(TensorType([2], .int64), StoredValues(bytes, of: .int64))
    #expect(try constant.tensor() == ReferenceTensor([2], wholes: [(1 << 53) + 1, -2], .int64))
    #expect(
      try constant.reshaped(to: [2, 1]).tensor()
        == ReferenceTensor([2, 1], wholes: [(1 << 53) + 1, -2], .int64))
    let small = Constant(TensorType([2], .int32), StoredValues([0x8F], of: .int4))
    #expect(try small.tensor() == ReferenceTensor([2], wholes: [-1, -8], .int32))
    let truth = Constant(TensorType([2], .bool), StoredValues([0, 7], of: .bool))
    #expect(try truth.tensor() == ReferenceTensor([2], wholes: [0, 1], .bool))
  }

  @Test("Whole numbers that are looked up are such")
  func lookedUp() throws {
    let values = StoredValues([0b01_00], of: .uint2, .palette(table: [5, -1, 7, 9]))
    let constant = Constant(TensorType([2], .int32), values)
    #expect(try constant.tensor() == ReferenceTensor([2], wholes: [5, -1], .int32))
  }

  @Test("Codes of few bits fill bytes from the lowest bits, or from the highest")
  func bitOrder() throws {
    #expect(try decode(StoredValues([0x21, 0x43], of: .uint4), [4]) == [1, 2, 3, 4])
    #expect(
      try decode(StoredValues([0x21, 0x43], of: .uint4, order: .highestFirst), [4]) == [2, 1, 4, 3])
    #expect(try decode(StoredValues([0x8F], of: .int4), [2]) == [-1, -8])
    // 1, 2, 3, 4 … in three bits each, of which the third lies in two bytes.
    #expect(
      try decode(StoredValues([0b11_010_001, 0b0_101_100_0, 0], of: .uint3), [6])
        == [1, 2, 3, 4, 5, 0])
    #expect(
      try decode(
        StoredValues([0b001_010_01, 0b1_100_101_0, 0], of: .uint3, order: .highestFirst), [6])
        == [1, 2, 3, 4, 5, 0])
  }

  @Test("A palette looks codes up")
  func palette() throws {
    let values = StoredValues([0b11_10_01_00], of: .uint2, .palette(table: [0.5, -1, 7, 9]))
    #expect(try decode(values, [2, 2]) == [0.5, -1, 7, 9])
    let short = StoredValues([0], of: .uint2, .palette(table: [1, 2, 3]))
    #expect(throws: EngineError.self) { try decode(short, [4]) }
  }

  @Test("Scales hold for everything, for a channel, or for a block")
  func affine() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    func scaled(_ blocks: Shape, _ scale: [Float], _ offset: [Float]) throws -> [Float] {
      try decode(
        StoredValues(bytes, of: .uint8, .affine(blocks: blocks, scale: scale, offset: offset)),
        [2, 4])
    }
    #expect(try scaled([1], [2], [1]) == [3, 5, 7, 9, 11, 13, 15, 17])
    #expect(try scaled([2, 1], [1, 10], [0]) == [1, 2, 3, 4, 50, 60, 70, 80])
    #expect(
      try scaled([2, 2], [1, 10, 100, 1000], [0, 0, 0, 1]) == [1, 2, 30, 40, 500, 600, 7001, 8001])
    #expect(throws: EngineError.self) { try scaled([2, 3], [1, 1, 1, 1, 1, 1], [0]) }
  }

  @Test("A sparse constant holds its values one after the other, and zeros elsewhere")
  func sparse() throws {
    let values = StoredValues([7, 8, 9], of: .uint8, .sparse(mask: [0b0010_1001] as [UInt8]))
    #expect(try decode(values, [2, 4]) == [7, 0, 0, 8, 0, 9, 0, 0])
    let short = StoredValues([7, 8], of: .uint8, .sparse(mask: [0b0010_1001] as [UInt8]))
    #expect(throws: EngineError.self) { try decode(short, [2, 4]) }
  }

  @Test("Too few bytes are refused with the numbers")
  func truncated() {
    let error = #expect(throws: EngineError.self) {
      try decode(StoredValues([1, 2, 3], of: .float32), [2])
    }
    #expect(error?.message.contains("3 bytes are stored, expected 8") == true)
  }
}
