import ModelFormat
import Testing

@testable import ModelTools

/// Pickles that the tests write opcode by opcode.
private struct PickleWriter {
  var bytes: [UInt8] = [0x80, 3]

  func finished() -> ByteValues { ByteValues(bytes + [UInt8(ascii: ".")]) }

  mutating func put(_ text: String) { bytes += Array(text.utf8) }

  mutating func text(_ text: String) {
    bytes += [UInt8(ascii: "X"), UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8)
  }

  /// Writes the opcodes that push a NumPy array onto the stack.
  mutating func array(
    _ type: String = "f4", order: String = "<", shape: [UInt8], _ data: [UInt8],
    columnMajor: Bool = false
  ) {
    put("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\u{0}")
    bytes += [0x85, UInt8(ascii: "C"), 1, UInt8(ascii: "b"), 0x87]
    put("R(K\u{1}(")
    for extent in shape { bytes += [UInt8(ascii: "K"), extent] }
    put("tcnumpy\ndtype\n")
    text(type)
    bytes += [0x89, 0x88, 0x87]
    put("R(K\u{3}")
    text(order)
    put("NNNK\u{0}K\u{0}K\u{0}tb")
    bytes += [columnMajor ? 0x88 : 0x89, UInt8(ascii: "B"), UInt8(data.count), 0, 0, 0] + data
    put("tb")
  }

  static func floats(_ values: [Float]) -> [UInt8] { values.withUnsafeBytes { Array($0) } }
}

struct PickleTests {
  private func fault(_ bytes: ByteValues) -> String {
    do {
      let file = try PickleFile(bytes, name: "w.pkl")
      _ = try file.array("a")
      return "nothing was thrown"
    } catch {
      return "\(error)"
    }
  }

  @Test("A dictionary of arrays is read")
  func dictionary() throws {
    var pickle = PickleWriter()
    pickle.put("}(")
    pickle.text("a")
    pickle.array(shape: [2, 3], PickleWriter.floats([1, 2, 3, 4, 5, 6]))
    pickle.text("b")
    pickle.put("](")
    pickle.array("u1", order: "|", shape: [2], [7, 255])
    pickle.put("eu")
    let file = try PickleFile(pickle.finished(), name: "w.pkl")
    #expect(try file.array("a").shape == [2, 3])
    #expect(try file.array("a").floats() == [1, 2, 3, 4, 5, 6])
    #expect(try file.array("a").floats(axes: [1, 0]) == [1, 4, 2, 5, 3, 6])
    #expect(try file.array("b", 0).floats() == [7, 255])
  }

  @Test("An array in Fortran's order is read in its logical order")
  func columnMajor() throws {
    var pickle = PickleWriter()
    pickle.put("](")
    pickle.array(shape: [2, 3], PickleWriter.floats([1, 4, 2, 5, 3, 6]), columnMajor: true)
    pickle.put("e")
    let file = try PickleFile(pickle.finished(), name: "w.pkl")
    #expect(try file.array(0).floats() == [1, 2, 3, 4, 5, 6])
  }

  @Test(
    "Names other than NumPy's arrays are refused",
    arguments: [
      ("os", "system"), ("builtins", "eval"), ("numpy", "load"),
      ("numpy.core.multiarray", "scalar"),
      ("collections", "namedtuple"),
    ])
  func refusedNames(module: String, name: String) {
    var pickle = PickleWriter()
    pickle.put("c\(module)\n\(name)\n")
    pickle.text("echo")
    pickle.bytes += [0x85]
    pickle.put("R")
    #expect(
      fault(pickle.finished()).contains("'\(module).\(name)', which is refused; only NumPy arrays"))
    var stacked = PickleWriter()
    stacked.text(module)
    stacked.text(name)
    stacked.bytes += [0x93]
    #expect(fault(stacked.finished()).contains("which is refused"))
  }

  @Test(
    "Opcodes that build objects, persistent ids and extensions are refused",
    arguments: [
      "i", "o", "P", "Q", "\u{81}", "I", "F", "S", "V",
    ])
  func refusedOpcodes(opcode: String) {
    let code: UInt8 = UInt8(opcode.unicodeScalars.first!.value)
    #expect(fault(ByteValues([0x80, 3, code, 0x0A, 0x2E])).contains("refused"))
  }

  @Test("An array whose byte count does not match its shape is refused")
  func wrongCount() {
    var pickle = PickleWriter()
    pickle.array(shape: [2, 200], PickleWriter.floats([1, 2, 3]))
    #expect(fault(pickle.finished()).contains("an array of 2 × 200 float32 has 12 bytes"))
  }

  @Test("Big-endian arrays and arrays of objects are refused")
  func otherTypes() {
    var big = PickleWriter()
    big.array(order: ">", shape: [1], [0, 0, 0, 0])
    #expect(fault(big.finished()).contains("not little-endian"))
    var objects = PickleWriter()
    objects.array("O8", order: "|", shape: [1], [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(fault(objects.finished()).contains("not plain numbers"))
  }

  @Test("A missing array is named")
  func missing() throws {
    var pickle = PickleWriter()
    pickle.put("}")
    #expect(fault(pickle.finished()) == "Weights 'w.pkl': there is no 'a'; expected an array.")
  }

  @Test("A pickle truncated anywhere gives an error message")
  func cut() throws {
    var pickle = PickleWriter()
    pickle.put("}(")
    pickle.text("a")
    pickle.array(shape: [3], PickleWriter.floats([1, 2, 3]))
    pickle.put("u")
    let complete: [UInt8] = pickle.finished().array()
    #expect(throws: Never.self) { try PickleFile(ByteValues(complete), name: "w.pkl") }
    for count in 0..<complete.count {
      #expect(throws: ModelToolsError.self) {
        try PickleFile(ByteValues(Array(complete[..<count])), name: "w.pkl")
      }
    }
  }

  @Test("A pickle with any one byte changed is read or refused, and never traps")
  func changed() {
    var pickle = PickleWriter()
    pickle.put("}q\u{1}(")
    pickle.text("a")
    pickle.array(shape: [3], PickleWriter.floats([1, 2, 3]))
    pickle.put("uh\u{1}")
    let complete: [UInt8] = pickle.finished().array()
    var readable: Int = 0
    for index in complete.indices {
      for bit in 0..<8 {
        var bytes: [UInt8] = complete
        bytes[index] ^= 1 << bit
        if (try? PickleFile(ByteValues(bytes), name: "w.pkl").array("a").floats()) != nil {
          readable += 1
        }
      }
    }
    #expect(readable < complete.count * 8)
  }

  @Test("Lengths beyond the file allocate nothing")
  func hugeLengths() {
    let long: [UInt8] = [0x80, 4, 0x8e, 255, 255, 255, 255, 255, 255, 255, 127, 0x2E]
    #expect(fault(ByteValues(long)).contains("ends at byte 12 within a value of"))
    let text: [UInt8] = [0x80, 3, UInt8(ascii: "X"), 255, 255, 255, 255, 0x2E]
    #expect(fault(ByteValues(text)).contains("ends at byte 8 within a value of 4294967295 bytes"))
  }

  @Test("A hundred thousand nested lists do not overflow the stack")
  func deep() throws {
    let nested: [UInt8] =
      [0x80, 3] + [UInt8](repeating: UInt8(ascii: "]"), count: 100_000)
      + [UInt8](repeating: UInt8(ascii: "a"), count: 99_999) + [UInt8(ascii: ".")]
    #expect(throws: Never.self) { try PickleFile(ByteValues(nested), name: "w.pkl") }
  }
}
