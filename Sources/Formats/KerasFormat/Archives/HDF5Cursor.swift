import ModelFormat
import Tensors

/// Reads the bytes of an HDF5 file in order. Numbers are little-endian. The cursor never reads beyond the end of the
/// bytes.
struct HDF5Cursor {
  private let source: ByteValues
  private(set) var position: Int
  /// The position in the file at which the cursor began, in bytes from the file's start.
  let base: Int
  private let offsetSize: Int
  private let lengthSize: Int

  init(_ source: ByteValues, at position: Int, _ offsetSize: Int, _ lengthSize: Int) {
    (self.source, self.position, base) = (source, position, position)
    (self.offsetSize, self.lengthSize) = (offsetSize, lengthSize)
  }

  /// The number of remaining bytes.
  var remaining: Int { source.count - position }

  /// Skips `count` bytes.
  mutating func skip(_ count: Int) throws {
    guard count >= 0, count <= remaining else {
      throw HDF5File.damaged(
        "\(count) bytes at \(position) reach beyond its end. It may be truncated")
    }
    position += count
  }

  /// Skips padding until the distance from `start` is a multiple of `unit` bytes.
  mutating func align(to unit: Int, from start: Int) throws {
    let over: Int = (position - start) % unit
    if over > 0 { try skip(min(unit - over, remaining)) }
  }

  /// Reads an unsigned integer of `count` bytes, 1 to 8.
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

  /// Reads an address. Returns nil for the value with which HDF5 marks an undefined address.
  mutating func offset() throws -> Int? {
    let start: Int = position
    try skip(offsetSize)
    if (start..<position).allSatisfy({ source[$0] == 0xFF }) { return nil }
    position = start
    return try number(offsetSize)
  }

  /// Reads a length, in bytes.
  mutating func length() throws -> Int { try number(lengthSize) }

  /// Reads `count` bytes, which share the file's memory.
  mutating func bytes(_ count: Int) throws -> ByteValues {
    let start: Int = position
    try skip(count)
    return source.slice(from: start, count: count) ?? ByteValues()
  }

  /// Skips the four-byte signature of a structure. Throws if the file does not have this signature at the cursor.
  mutating func expect(_ name: String) throws {
    guard try bytes(4).array() == Array(name.utf8) else {
      throw HDF5File.damaged("there is no '\(name)' at \(position - 4)")
    }
  }

  /// Returns a cursor over `bytes` alone. The new cursor has this cursor's sizes of addresses and lengths.
  func inside(_ bytes: ByteValues) -> HDF5Cursor {
    HDF5Cursor(bytes, at: 0, offsetSize, lengthSize)
  }
}
