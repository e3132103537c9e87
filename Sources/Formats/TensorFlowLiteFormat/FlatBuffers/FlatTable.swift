import ModelFormat
import Tensors

/// A table of a flatbuffer. It stores fields by number. Every field is optional.
///
/// The first four bytes of the table are the offset of its vtable, a list of the positions of its fields. Several
/// tables of one type may share a vtable.
struct FlatTable: Sendable {
  /// The file that contains the table.
  let buffer: FlatBuffer
  /// The position of the table's first byte in the file.
  let position: Int
  private let list: Int
  private let listSize: Int

  /// Opens the table at a position.
  init(_ buffer: FlatBuffer, at position: Int) throws {
    self.buffer = buffer
    self.position = position
    list = position - Int(try buffer.read(position, as: Int32.self))
    listSize = Int(try buffer.read(list, as: UInt16.self))
    guard listSize >= 4, list <= buffer.bytes.count - listSize else {
      throw FlatBuffer.damaged("the table at \(position) has no list of its fields")
    }
  }

  /// Returns the position of a field in the file. Nil if the field is missing.
  private func fieldPosition(_ field: Int) throws -> Int? {
    let entry: Int = 4 + 2 * field
    guard entry + 2 <= listSize else { return nil }
    let offset = Int(try buffer.read(list + entry, as: UInt16.self))
    return offset == 0 ? nil : position + offset
  }

  /// Returns an integer, or the schema's default `standard` if the field is missing.
  func int<Number: FixedWidthInteger>(
    _ field: Int, or standard: Int = 0, as type: Number.Type = Int32.self
  ) throws -> Int {
    guard let fieldPosition = try fieldPosition(field) else { return standard }
    return Int(truncatingIfNeeded: try buffer.read(fieldPosition, as: type))
  }

  /// Returns an unsigned byte, or 0 if the field is missing.
  func byte(_ field: Int) throws -> Int { try int(field, as: UInt8.self) }

  /// Returns a boolean, or false if the field is missing.
  func bool(_ field: Int) throws -> Bool { try byte(field) != 0 }

  /// Returns a floating-point number, or the schema's default `standard` if the field is missing.
  func float(_ field: Int, or standard: Float = 0) throws -> Float {
    guard let fieldPosition = try fieldPosition(field) else { return standard }
    return Float(bitPattern: try buffer.read(fieldPosition, as: UInt32.self))
  }

  /// Returns a nested table. Nil if the field is missing.
  func table(_ field: Int) throws -> FlatTable? {
    guard let fieldPosition = try fieldPosition(field) else { return nil }
    return try FlatTable(buffer, at: try buffer.target(of: fieldPosition))
  }

  /// Returns a list of tables. Empty if the field is missing.
  func tables(_ field: Int) throws -> [FlatTable] {
    guard let (start, count) = try vector(field, size: 4) else { return [] }
    return try (0..<count).map { index in
      try FlatTable(buffer, at: try buffer.target(of: start + 4 * index))
    }
  }

  /// Returns a list of integers of type `type`. Nil if the field is missing.
  func ints<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type = Int32.self) throws
    -> [Int]?
  {
    let size: Int = MemoryLayout<Number>.size
    guard let (start, count) = try vector(field, size: size) else { return nil }
    return try (0..<count).map {
      Int(truncatingIfNeeded: try buffer.read(start + size * $0, as: type))
    }
  }

  /// Returns a list of floating-point numbers. Empty if the field is missing.
  func floats(_ field: Int) throws -> [Float] {
    try (ints(field, as: UInt32.self) ?? []).map { Float(bitPattern: UInt32($0)) }
  }

  /// Returns a list of bytes. They stay in the mapped file. Nil if the field is missing.
  func bytes(_ field: Int) throws -> ByteValues? {
    guard let (start, count) = try vector(field, size: 1) else { return nil }
    return try buffer.slice(from: start, count: count)
  }

  /// Returns a string. Empty if the field is missing.
  func string(_ field: Int) throws -> String {
    guard let bytes = try bytes(field) else { return "" }
    return String(decoding: bytes.prefix(4096), as: UTF8.self)
  }

  /// Returns the numbers of the fields, from `first` on, that hold anything but zeros. A field that the file's writer
  /// did not set is missing, or holds zeros.
  ///
  /// This function does not know the types of the fields. So it assumes that the bytes of a field end where the next
  /// field begins, or where the table ends.
  func fieldsInUse(from first: Int) throws -> [Int] {
    let count: Int = (listSize - 4) / 2
    guard first < count else { return [] }
    let size = Int(try buffer.read(list + 2, as: UInt16.self))
    let fieldPositions: [Int?] = try (0..<count).map { try fieldPosition($0) }
    let starts: [Int] = fieldPositions.compactMap { $0 }
    return try (first..<count).filter { field in
      guard let start = fieldPositions[field] else { return false }
      let end: Int = starts.filter { $0 > start }.min() ?? position + size
      let bytes: ByteValues = try buffer.slice(from: start, count: max(1, end - start))
      return bytes.contains { $0 != 0 }
    }
  }

  private func vector(_ field: Int, size: Int) throws -> (start: Int, count: Int)? {
    guard let fieldPosition = try fieldPosition(field) else { return nil }
    return try buffer.vector(at: try buffer.target(of: fieldPosition), size: size)
  }
}
