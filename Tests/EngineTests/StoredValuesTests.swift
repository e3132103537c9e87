import Engine
import Testing

@Suite("Values as a file keeps them")
struct StoredValuesTests {
  private func decode(_ values: StoredValues, _ shape: Shape) throws -> [Float] {
    try stored(values, shape).floats()
  }

  private func stored(_ values: StoredValues, _ shape: Shape) -> Constant {
    Constant(TensorType(shape), values)
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

  @Test("Every float16 becomes the same float32 as by the compiler's own conversion")
  func halves() {
    for bits in UInt16.min...UInt16.max {
      let (value, expected) = (Float(half: bits), Float(Float16(bitPattern: bits)))
      #expect(value.isNaN == expected.isNaN && value.sign == expected.sign)
      if !expected.isNaN { #expect(value.bitPattern == expected.bitPattern, "\(bits)") }
    }
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
    let codes = stored(StoredValues([0b11_10_01_00], of: .uint2), [2, 2])
    let table = Constant([1, 1, 4, 1], [0.5, -1, 7, 9])
    let made = try Constant.lookedUp(codes, in: table)
    #expect(try made.floats() == [0.5, -1, 7, 9])
    #expect(made.stored?.byteCount == 1 + 16)
    let short = try Constant.lookedUp(codes, in: Constant([1, 1, 3, 1], [1, 2, 3]))
    #expect(throws: EngineError.self) { try short.floats() }
  }

  /// The first example of the operation's documentation.
  @Test("Every group of codes has a palette of its own")
  func groupedPalette() throws {
    let codes = Constant([6, 2], [2, 3, 3, 0, 1, 0, 3, 0, 2, 1, 0, 3])
    let tables = Constant([2, 1, 4, 1], [1, 5, 9, 13, 2, 10, 18, 26])
    let made = try Constant.lookedUp(codes, in: tables)
    #expect(try made.floats() == [9, 13, 13, 1, 5, 1, 26, 2, 18, 10, 2, 26])
    #expect(throws: EngineError.self) {
      try Constant.lookedUp(codes, in: Constant([4, 1, 1, 1], [1, 2, 3, 4]))
    }
  }

  /// The second example of the operation's documentation.
  @Test("A code may stand for a vector along any axis")
  func vectorPalette() throws {
    let codes = Constant([2, 2, 2], [0, 0, 1, 0, 1, 1, 0, 0])
    let table = Constant([1, 1, 1, 2, 3], [1, 2, 3, 10, 20, 30])
    let across = try Constant.lookedUp(codes, in: table, along: 1)
    #expect(across.shape == [2, 6, 2])
    #expect(
      try across.floats() == [
        1, 1, 2, 2, 3, 3, 10, 1, 20, 2, 30, 3, 10, 10, 20, 20, 30, 30, 1, 1, 2, 2, 3, 3,
      ])
    let along = try Constant.lookedUp(codes, in: table, along: -1)
    #expect(
      try along.floats() == [
        1, 2, 3, 1, 2, 3, 10, 20, 30, 1, 2, 3, 10, 20, 30, 10, 20, 30, 1, 2, 3, 1, 2, 3,
      ])
    #expect(throws: EngineError.self) { try Constant.lookedUp(codes, in: table) }
  }

  @Test("Scales and zeros hold for everything, for a channel, or for a block")
  func affine() throws {
    let codes = stored(StoredValues([1, 2, 3, 4, 5, 6, 7, 8], of: .uint8), [2, 4])
    func scaled(_ blocks: Shape, _ scale: [Float], _ zero: [Float]?) throws -> [Float] {
      try Constant.scaled(
        codes, by: Constant(blocks, scale), from: zero.map { Constant(blocks, $0) }
      ).floats()
    }
    #expect(try scaled([1, 1], [2], [1]) == [0, 2, 4, 6, 8, 10, 12, 14])
    #expect(try scaled([2, 1], [1, 10], nil) == [1, 2, 3, 4, 50, 60, 70, 80])
    #expect(
      try scaled([2, 2], [1, 10, 100, 1000], [0, 0, 0, 1]) == [1, 2, 30, 40, 500, 600, 6000, 7000])
    #expect(try scaled([1, 4], [1, 2, 3, 4], nil) == [1, 4, 9, 16, 5, 12, 21, 32])
    #expect(throws: EngineError.self) { try scaled([2, 3], [1, 1, 1, 1, 1, 1], nil) }
  }

  @Test("A result of float16 is rounded after the difference and after the product")
  func roundedScale() throws {
    let codes = Constant([1], [2049])
    let made = try Constant.scaled(
      codes, by: Constant([1], [Float(Float16(0.1))]), from: Constant([1], [1]),
      difference: .float16, product: .float16)
    // 2049 is 2048 in float16, 2047 remains.
    #expect(try made.floats() == [Float(Float16(2047 * Float(Float16(0.1))))])
  }

  @Test("A sparse constant holds its values one after the other, and zeros elsewhere")
  func sparse() throws {
    let mask = stored(StoredValues([0b0010_1001], of: .uint1), [2, 4])
    let made = Constant.sparse(Constant([3], [7, 8, 9]), mask: mask)
    #expect(try made.floats() == [7, 0, 0, 8, 0, 9, 0, 0])
    #expect(try Constant.picked(made, mask: mask, count: 3).floats() == [7, 8, 9])
    let error = #expect(throws: EngineError.self) {
      try Constant.sparse(Constant([2], [7, 8]), mask: mask).floats()
    }
    #expect(error?.message.contains("3 bits that are set, but 2 values") == true)
  }

  @Test("Sparse codes of a palette with scales decode through all three")
  func chain() throws {
    let mask = stored(StoredValues([0b0010_1001], of: .uint1), [2, 4])
    let codes = Constant.sparse(Constant([3], [1, 0, 1]), mask: mask)
    let table = try Constant.scaled(
      Constant([1, 1, 2, 1], [3, 5]), by: Constant([1, 1, 1, 1], [0.5]))
    let kept = try Constant.picked(Constant.lookedUp(codes, in: table), mask: mask, count: 3)
    #expect(try Constant.sparse(kept, mask: mask).floats() == [2.5, 0, 0, 1.5, 0, 2.5, 0, 0])
  }

  @Test("Elements are repeated along an axis")
  func repeated() throws {
    let mask = Constant([2, 2], [1, 0, 0, 1])
    #expect(try mask.repeated(2, along: 0).floats() == [1, 0, 1, 0, 0, 1, 0, 1])
    #expect(try mask.repeated(2, along: 1).floats() == [1, 1, 0, 0, 0, 0, 1, 1])
  }

  @Test("Too few bytes are refused with the numbers")
  func truncated() {
    let error = #expect(throws: EngineError.self) {
      try decode(StoredValues([1, 2, 3], of: .float32), [2])
    }
    #expect(error?.message.contains("3 bytes are stored, expected 8") == true)
  }
}
