import Engine
import Testing

@Suite("Values in a file's storage format")
struct StoredValuesTests {
  private func decode(_ values: StoredValues, _ shape: Shape) throws -> [Float] {
    try stored(values, shape).floats()
  }

  private func stored(_ values: StoredValues, _ shape: Shape) -> Constant {
    Constant(TensorType(shape), values)
  }

  @Test("Stored floats are read in place, and all other values as a copy")
  func floatsInPlace() throws {
    /// Bytes at a fixed address.
    final class Bytes: ByteSource, @unchecked Sendable {
      let memory: UnsafeMutableRawBufferPointer
      let start: Int
      init(_ values: [Float], start: Int) {
        memory = .allocate(byteCount: values.count * 4 + start, alignment: 16)
        self.start = start
        for (index, value) in values.enumerated() {
          memory.storeBytes(of: value, toByteOffset: start + index * 4, as: Float.self)
        }
      }
      deinit { memory.deallocate() }
      var byteCount: Int { memory.count - start }
      func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[start...]))
      }
    }
    let values: [Float] = [1.5, -2, 3]
    for (start, isInPlace) in [(0, true), (8, true), (2, false)] {
      let bytes = Bytes(values, start: start)
      let constant = Constant(TensorType([3]), StoredValues(bytes, of: .float32))
      try constant.withFloats { floats in
        #expect(Array(floats) == values)
        let address: Int = UnsafeRawPointer(floats.baseAddress).map { Int(bitPattern: $0) } ?? 0
        #expect((address == Int(bitPattern: bytes.memory.baseAddress) + start) == isInPlace)
      }
    }
    try Constant([3], values).withFloats { #expect(Array($0) == values) }
    let short = Constant(TensorType([4]), StoredValues(Bytes(values, start: 0), of: .float32))
    #expect(throws: EngineError.self) { try short.withFloats { _ in } }
  }

  @Test("Plain numbers of every type are read unchanged")
  func plain() throws {
    #expect(try decode(StoredValues([0, 0, 0x80, 0x3F], of: .float32), [1]) == [1])
    #expect(try decode(StoredValues([0, 0x3C, 0, 0xC0], of: .float16), [2]) == [1, -2])
    #expect(try decode(StoredValues([0x80, 0x3F], of: .bfloat16), [1]) == [1])
    #expect(try decode(StoredValues([0xFF, 0x7F], of: .int8), [2]) == [-1, 127])
    #expect(try decode(StoredValues([0xFF, 0x7F], of: .uint8), [2]) == [255, 127])
    #expect(try decode(StoredValues([0xFE, 0xFF], of: .int16), [1]) == [-2])
    #expect(try decode(StoredValues([1, 0, 0, 0, 0, 0, 0, 0], of: .int64), [1]) == [1])
  }

  @Test("Single values are those at their indices, and missing ones are an error")
  func indices() throws {
    let halves = StoredValues([0, 0x3C, 0, 0xC0, 0, 0x42], of: .float16)
    for constant in [
      Constant([3], [1, -2, 3]), stored(halves, [3]),
      stored(StoredValues([1, 0xFE, 3], of: .int8), [3]),
      stored(StoredValues([0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0, 0, 0x40, 0x40], of: .float32), [3]),
    ] {
      #expect(try constant.floats(at: [2, 0, 2, 1]) == [3, 1, 3, -2])
      #expect(try constant.floats(at: []) == [])
    }
    #expect(throws: EngineError.self) { try stored(halves, [4]).floats(at: [3]) }
  }

  @Test("Rounding to float16 equals the compiler's conversion, also for ties and subnormal numbers")
  func roundsToHalf() {
    for high in UInt32(0)...0xFFFF {
      for low: UInt32 in [0, 1, 0xFFF, 0x1000, 0x1001, 0x2000, 0x3000, 0x7FFF, 0xF000, 0xFFFF] {
        let number = Float(bitPattern: high << 16 | low)
        let (rounded, expected) = (number.roundedToHalf, Float(Float16(number)))
        guard rounded.bitPattern != expected.bitPattern, !(rounded.isNaN && expected.isNaN) else {
          continue
        }
        Issue.record("\(number): \(rounded), expected \(expected)")
        return
      }
    }
  }

  @Test("Every float16 converts to the same float32 as by the compiler's conversion")
  func halves() {
    for bits in UInt16.min...UInt16.max {
      let (value, expected) = (Float(half: bits), Float(Float16(bitPattern: bits)))
      #expect(value.isNaN == expected.isNaN && value.sign == expected.sign)
      if !expected.isNaN { #expect(value.bitPattern == expected.bitPattern, "\(bits)") }
    }
  }

  @Test("Stored integers are exact, also under another shape")
  func integerValues() throws {
    let bytes: [UInt8] = [
      1, 0, 0, 0, 0, 0, 0x20, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
    let constant = Constant(TensorType([2], .int64), StoredValues(bytes, of: .int64))
    #expect(
      try constant.tensor() == ReferenceTensor([2], integerValues: [(1 << 53) + 1, -2], .int64))
    #expect(
      try constant.reshaped(to: [2, 1]).tensor()
        == ReferenceTensor([2, 1], integerValues: [(1 << 53) + 1, -2], .int64))
    let small = Constant(TensorType([2], .int32), StoredValues([0x8F], of: .int4))
    #expect(try small.tensor() == ReferenceTensor([2], integerValues: [-1, -8], .int32))
    let truth = Constant(TensorType([2], .bool), StoredValues([0, 7], of: .bool))
    #expect(try truth.tensor() == ReferenceTensor([2], integerValues: [0, 1], .bool))
  }

  @Test("Values of a few bits fill bytes from the lowest bits or from the highest")
  func bitOrder() throws {
    #expect(try decode(StoredValues([0x21, 0x43], of: .uint4), [4]) == [1, 2, 3, 4])
    #expect(
      try decode(StoredValues([0x21, 0x43], of: .uint4, order: .highestFirst), [4]) == [2, 1, 4, 3])
    #expect(try decode(StoredValues([0x8F], of: .int4), [2]) == [-1, -8])
    // The values are 1, 2, 3, 4, … with three bits each. The third value spans two bytes.
    #expect(
      try decode(StoredValues([0b11_010_001, 0b0_101_100_0, 0], of: .uint3), [6])
        == [1, 2, 3, 4, 5, 0])
    #expect(
      try decode(
        StoredValues([0b001_010_01, 0b1_100_101_0, 0], of: .uint3, order: .highestFirst), [6])
        == [1, 2, 3, 4, 5, 0])
  }

  @Test("A palette looks up values by index")
  func palette() throws {
    let indices = stored(StoredValues([0b11_10_01_00], of: .uint2), [2, 2])
    let table = Constant([1, 1, 4, 1], [0.5, -1, 7, 9])
    let made = try Constant.lookedUp(indices, in: table)
    #expect(try made.floats() == [0.5, -1, 7, 9])
    #expect(made.stored?.byteCount == 1 + 16)
    let short = try Constant.lookedUp(indices, in: Constant([1, 1, 3, 1], [1, 2, 3]))
    #expect(throws: EngineError.self) { try short.floats() }
  }

  /// Computes the first example in the documentation of the operation `constexpr_lut_to_dense`.
  @Test("Every group of indices has a separate palette")
  func groupedPalette() throws {
    let indices = Constant([6, 2], [2, 3, 3, 0, 1, 0, 3, 0, 2, 1, 0, 3])
    let tables = Constant([2, 1, 4, 1], [1, 5, 9, 13, 2, 10, 18, 26])
    let made = try Constant.lookedUp(indices, in: tables)
    #expect(try made.floats() == [9, 13, 13, 1, 5, 1, 26, 2, 18, 10, 2, 26])
    #expect(throws: EngineError.self) {
      try Constant.lookedUp(indices, in: Constant([4, 1, 1, 1], [1, 2, 3, 4]))
    }
  }

  /// Computes the second example in the documentation of the operation `constexpr_lut_to_dense`.
  @Test("An index may represent a vector along any axis")
  func vectorPalette() throws {
    let indices = Constant([2, 2, 2], [0, 0, 1, 0, 1, 1, 0, 0])
    let table = Constant([1, 1, 1, 2, 3], [1, 2, 3, 10, 20, 30])
    let across = try Constant.lookedUp(indices, in: table, along: 1)
    #expect(across.shape == [2, 6, 2])
    #expect(
      try across.floats() == [
        1, 1, 2, 2, 3, 3, 10, 1, 20, 2, 30, 3, 10, 10, 20, 20, 30, 30, 1, 1, 2, 2, 3, 3,
      ])
    let along = try Constant.lookedUp(indices, in: table, along: -1)
    #expect(
      try along.floats() == [
        1, 2, 3, 1, 2, 3, 10, 20, 30, 1, 2, 3, 10, 20, 30, 10, 20, 30, 1, 2, 3, 1, 2, 3,
      ])
    #expect(throws: EngineError.self) { try Constant.lookedUp(indices, in: table) }
  }

  @Test("Scales and zero points apply to the whole tensor, to a channel or to a block")
  func affine() throws {
    let indices = stored(StoredValues([1, 2, 3, 4, 5, 6, 7, 8], of: .uint8), [2, 4])
    func scaled(_ blocks: Shape, _ scale: [Float], _ zero: [Float]?) throws -> [Float] {
      try Constant.scaled(
        indices, by: Constant(blocks, scale), from: zero.map { Constant(blocks, $0) }
      ).floats()
    }
    #expect(try scaled([1, 1], [2], [1]) == [0, 2, 4, 6, 8, 10, 12, 14])
    #expect(try scaled([2, 1], [1, 10], nil) == [1, 2, 3, 4, 50, 60, 70, 80])
    #expect(
      try scaled([2, 2], [1, 10, 100, 1000], [0, 0, 0, 1]) == [1, 2, 30, 40, 500, 600, 6000, 7000])
    #expect(try scaled([1, 4], [1, 2, 3, 4], nil) == [1, 4, 9, 16, 5, 12, 21, 32])
    #expect(throws: EngineError.self) { try scaled([2, 3], [1, 1, 1, 1, 1, 1], nil) }
  }

  @Test("A float16 result is rounded after the difference and after the product")
  func roundedScale() throws {
    let indices = Constant([1], [2049])
    let made = try Constant.scaled(
      indices, by: Constant([1], [Float(Float16(0.1))]), from: Constant([1], [1]),
      difference: .float16, product: .float16)
    // float16 rounds 2049 to 2048. The offset 1 is then subtracted, which gives 2047.
    #expect(try made.floats() == [Float(Float16(2047 * Float(Float16(0.1))))])
  }

  @Test("A sparse constant stores its nonzero values in order and has zeros elsewhere")
  func sparse() throws {
    let mask = stored(StoredValues([0b0010_1001], of: .uint1), [2, 4])
    let made = Constant.sparse(Constant([3], [7, 8, 9]), mask: mask)
    #expect(try made.floats() == [7, 0, 0, 8, 0, 9, 0, 0])
    #expect(try Constant.picked(made, mask: mask, count: 3).floats() == [7, 8, 9])
    let error = #expect(throws: EngineError.self) {
      try Constant.sparse(Constant([2], [7, 8]), mask: mask).floats()
    }
    #expect(error?.message.contains("3 set bits, but 2 values") == true)
  }

  @Test("Sparse palette indices with scales decode through all three steps")
  func chain() throws {
    let mask = stored(StoredValues([0b0010_1001], of: .uint1), [2, 4])
    let indices = Constant.sparse(Constant([3], [1, 0, 1]), mask: mask)
    let table = try Constant.scaled(
      Constant([1, 1, 2, 1], [3, 5]), by: Constant([1, 1, 1, 1], [0.5]))
    let nonzero = try Constant.picked(Constant.lookedUp(indices, in: table), mask: mask, count: 3)
    #expect(try Constant.sparse(nonzero, mask: mask).floats() == [2.5, 0, 0, 1.5, 0, 2.5, 0, 0])
  }

  @Test("Elements are repeated along an axis")
  func repeated() throws {
    let mask = Constant([2, 2], [1, 0, 0, 1])
    #expect(try mask.repeated(2, along: 0).floats() == [1, 0, 1, 0, 0, 1, 0, 1])
    #expect(try mask.repeated(2, along: 1).floats() == [1, 1, 0, 0, 0, 0, 1, 1])
  }

  @Test("Too few bytes are refused with both numbers")
  func truncated() {
    let error = #expect(throws: EngineError.self) {
      try decode(StoredValues([1, 2, 3], of: .float32), [2])
    }
    #expect(error?.message.contains("3 bytes are stored, expected 8") == true)
  }
}
