import ModelFormat
import Tensors

/// Moves over the bytes of an HDF5 file, little-endian; reads nothing beyond their end.
struct HDF5Cursor {
  private let source: ByteValues
  private(set) var position: Int
  /// Where it began.
  let base: Int
  private let offsetSize: Int
  private let lengthSize: Int

  init(_ source: ByteValues, at position: Int, _ offsetSize: Int, _ lengthSize: Int) {
    (self.source, self.position, base) = (source, position, position)
    (self.offsetSize, self.lengthSize) = (offsetSize, lengthSize)
  }

  /// How many bytes follow.
  var remaining: Int { source.count - position }

  /// Passes bytes.
  mutating func skip(_ count: Int) throws {
    guard count >= 0, count <= remaining else {
      throw HDF5File.damaged("\(count) bytes at \(position) end beyond its end. It may be cut off")
    }
    position += count
  }

  /// Passes what fills up to a multiple, counted from a place.
  mutating func align(to unit: Int, from start: Int) throws {
    let over: Int = (position - start) % unit
    if over > 0 { try skip(min(unit - over, remaining)) }
  }

  /// A whole number of 1 to 8 bytes without a sign.
  mutating func number(_ count: Int) throws -> Int {
    let start: Int = position
    try skip(count)
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(source[start + index]) }
    guard let number = Int(exactly: value) else {
      throw HDF5File.damaged("a number at \(start) is larger than any file")
    }
    return number
  }

  /// An address; nil for the one that stands for none.
  mutating func offset() throws -> Int? {
    let start: Int = position
    try skip(offsetSize)
    if (start..<position).allSatisfy({ source[$0] == 0xFF }) { return nil }
    position = start
    return try number(offsetSize)
  }

  /// A length.
  mutating func length() throws -> Int { try number(lengthSize) }

  /// Bytes that share the file's memory.
  mutating func bytes(_ count: Int) throws -> ByteValues {
    let start: Int = position
    try skip(count)
    return source.slice(from: start, count: count) ?? ByteValues()
  }

  /// Passes the name of a structure.
  mutating func expect(_ name: String) throws {
    guard try bytes(4).array() == Array(name.utf8) else {
      throw HDF5File.damaged("there is no '\(name)' at \(position - 4)")
    }
  }

  /// A cursor over some bytes alone, with the sizes of this one.
  func inside(_ bytes: ByteValues) -> HDF5Cursor {
    HDF5Cursor(bytes, at: 0, offsetSize, lengthSize)
  }
}
