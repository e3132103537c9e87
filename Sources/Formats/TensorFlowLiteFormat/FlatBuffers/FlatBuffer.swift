import ModelFormat
import Tensors

/// Bytes in the flatbuffer format, read by hand: every offset is checked before it is followed.
///
/// A file begins with the position of its root table and perhaps four letters that name its kind. All numbers
/// are little-endian; positions are counted in bytes from the first one.
///
/// **Source:** “FlatBuffer Internals”, flatbuffers.dev.
struct FlatBuffer: Sendable {
  /// The file.
  let bytes: ByteValues

  /// Whether the bytes begin as a file of a kind does.
  ///
  /// - Parameter identifier: four ASCII letters.
  static func hasIdentifier(_ identifier: String, in head: [UInt8]) -> Bool {
    head.count >= 8 && Array(head[4..<8]) == Array(identifier.utf8)
  }

  /// The table that everything hangs from.
  func root() throws -> FlatTable { try FlatTable(self, at: try target(of: 0)) }

  /// A number at a position.
  func read<Number: FixedWidthInteger>(_ position: Int, as type: Number.Type = Number.self) throws
    -> Number
  {
    let size: Int = MemoryLayout<Number>.size
    guard position >= 0, bytes.count >= size, position <= bytes.count - size else {
      throw Self.damaged("\(size) bytes are expected at \(position), after the end")
    }
    return bytes.withUnsafeBytes {
      // Safe: the bytes reach as far.
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
  }

  /// Where an offset leads that lies at a position: it counts from itself.
  func target(of position: Int) throws -> Int {
    let offset = Int(try read(position, as: UInt32.self))
    guard offset >= 4, offset <= bytes.count - position - 4 else {
      throw Self.damaged("the offset \(offset) at \(position) leads out of the file")
    }
    return position + offset
  }

  /// The first byte and the number of the elements of a vector.
  ///
  /// - Parameter size: of an element, in bytes.
  func vector(at position: Int, size: Int) throws -> (start: Int, count: Int) {
    let count = Int(try read(position, as: UInt32.self))
    guard count <= (bytes.count - position - 4) / size else {
      throw Self.damaged("a list of \(count) elements at \(position) reaches out of the file")
    }
    return (position + 4, count)
  }

  /// A part of the file.
  func slice(from start: Int, count: Int) throws -> ByteValues {
    guard start >= 0, count >= 0, let slice = bytes.slice(from: start, count: count) else {
      throw Self.damaged("\(count) bytes from \(start) on reach out of the file")
    }
    return slice
  }

  /// What is wrong with the bytes.
  static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "The file is damaged or cut off: \(what).")
  }
}
