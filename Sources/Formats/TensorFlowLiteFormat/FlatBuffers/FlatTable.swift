import ModelFormat
import Tensors

/// A table of a flatbuffer: fields by number, any of which may be missing.
///
/// Its first four bytes lead back to a list of where the fields stand, which tables of one kind may share.
struct FlatTable: Sendable {
  /// The file.
  let buffer: FlatBuffer
  /// The table's first byte.
  let position: Int
  private let list: Int
  private let listSize: Int

  /// The table at a position.
  init(_ buffer: FlatBuffer, at position: Int) throws {
    self.buffer = buffer
    self.position = position
    list = position - Int(try buffer.read(position, as: Int32.self))
    listSize = Int(try buffer.read(list, as: UInt16.self))
    guard listSize >= 4, list <= buffer.bytes.count - listSize else {
      throw FlatBuffer.damaged("the table at \(position) has no list of its fields")
    }
  }

  /// Where a field stands; nil where it is missing.
  private func place(_ field: Int) throws -> Int? {
    let entry: Int = 4 + 2 * field
    guard entry + 2 <= listSize else { return nil }
    let offset = Int(try buffer.read(list + entry, as: UInt16.self))
    return offset == 0 ? nil : position + offset
  }

  /// A whole number; what the schema says where it is missing.
  func int<Number: FixedWidthInteger>(
    _ field: Int, or standard: Int = 0, as type: Number.Type = Int32.self
  ) throws -> Int {
    guard let place = try place(field) else { return standard }
    return Int(truncatingIfNeeded: try buffer.read(place, as: type))
  }

  /// A byte without sign.
  func byte(_ field: Int) throws -> Int { try int(field, as: UInt8.self) }

  /// A truth value; false where it is missing.
  func bool(_ field: Int) throws -> Bool { try byte(field) != 0 }

  /// A real number; what the schema says where it is missing.
  func float(_ field: Int, or standard: Float = 0) throws -> Float {
    guard let place = try place(field) else { return standard }
    return Float(bitPattern: try buffer.read(place, as: UInt32.self))
  }

  /// A table of its own; nil where it is missing.
  func table(_ field: Int) throws -> FlatTable? {
    guard let place = try place(field) else { return nil }
    return try FlatTable(buffer, at: try buffer.target(of: place))
  }

  /// A list of tables; empty where it is missing.
  func tables(_ field: Int) throws -> [FlatTable] {
    guard let (start, count) = try vector(field, size: 4) else { return [] }
    return try (0..<count).map { index in
      try FlatTable(buffer, at: try buffer.target(of: start + 4 * index))
    }
  }

  /// A list of whole numbers; nil where it is missing.
  func ints<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type = Int32.self) throws
    -> [Int]?
  {
    let size: Int = MemoryLayout<Number>.size
    guard let (start, count) = try vector(field, size: size) else { return nil }
    return try (0..<count).map {
      Int(truncatingIfNeeded: try buffer.read(start + size * $0, as: type))
    }
  }

  /// A list of real numbers; empty where it is missing.
  func floats(_ field: Int) throws -> [Float] {
    try (ints(field, as: UInt32.self) ?? []).map { Float(bitPattern: UInt32($0)) }
  }

  /// A list of bytes, which stay in the file; nil where it is missing.
  func bytes(_ field: Int) throws -> ByteValues? {
    guard let (start, count) = try vector(field, size: 1) else { return nil }
    return try buffer.slice(from: start, count: count)
  }

  /// A text; empty where it is missing.
  func string(_ field: Int) throws -> String {
    guard let bytes = try bytes(field) else { return "" }
    return String(decoding: bytes.prefix(4096), as: UTF8.self)
  }

  /// The fields from a number on that hold anything but zeros, which is what a field that nobody set holds.
  ///
  /// The kind of such a field is not known: its bytes end where the next field or the table does.
  func fieldsInUse(from first: Int) throws -> [Int] {
    let count: Int = (listSize - 4) / 2
    guard first < count else { return [] }
    let size = Int(try buffer.read(list + 2, as: UInt16.self))
    let places: [Int?] = try (0..<count).map { try place($0) }
    let starts: [Int] = places.compactMap { $0 }
    return try (first..<count).filter { field in
      guard let start = places[field] else { return false }
      let end: Int = starts.filter { $0 > start }.min() ?? position + size
      let bytes: ByteValues = try buffer.slice(from: start, count: max(1, end - start))
      return bytes.contains { $0 != 0 }
    }
  }

  private func vector(_ field: Int, size: Int) throws -> (start: Int, count: Int)? {
    guard let place = try place(field) else { return nil }
    return try buffer.vector(at: try buffer.target(of: place), size: size)
  }
}
