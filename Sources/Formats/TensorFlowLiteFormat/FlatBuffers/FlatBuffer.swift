import ModelFormat
import Tensors

/// Reads bytes in the flatbuffer format. Checks every offset before it follows it.
///
/// A file begins with the position of its root table. An optional identifier of four letters follows. All numbers are
/// little-endian. Positions are in bytes from the start of the file.
///
/// **Source:** “FlatBuffer Internals”, flatbuffers.dev.
struct FlatBuffer: Sendable {
  /// The bytes of the file.
  let bytes: ByteValues

  /// Returns whether the bytes begin as a file with this identifier does.
  ///
  /// - Parameter identifier: Four ASCII letters.
  static func hasIdentifier(_ identifier: String, in head: [UInt8]) -> Bool {
    head.count >= 8 && Array(head[4..<8]) == Array(identifier.utf8)
  }

  /// Returns the root table.
  func root() throws -> FlatTable { try FlatTable(self, at: try target(of: 0)) }

  /// Reads the number at a position.
  func read<Number: FixedWidthInteger>(_ position: Int, as type: Number.Type = Number.self) throws
    -> Number
  {
    let size: Int = MemoryLayout<Number>.size
    guard position >= 0, bytes.count >= size, position <= bytes.count - size else {
      throw Self.damaged("\(size) bytes are expected at \(position), after the end")
    }
    return bytes.withUnsafeBytes {
      // Safe: the closure's buffer has enough bytes for the number from `position` on.
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
  }

  /// Returns the position to which the offset at `position` points. An offset counts from its own position.
  func target(of position: Int) throws -> Int {
    let offset = Int(try read(position, as: UInt32.self))
    guard offset >= 4, offset <= bytes.count - position - 4 else {
      throw Self.damaged("the offset \(offset) at \(position) leads out of the file")
    }
    return position + offset
  }

  /// Returns the position of the first element of a vector, and the number of elements.
  ///
  /// - Parameter size: The size of an element, in bytes.
  func vector(at position: Int, size: Int) throws -> (start: Int, count: Int) {
    let count = Int(try read(position, as: UInt32.self))
    guard count <= (bytes.count - position - 4) / size else {
      throw Self.damaged("a list of \(count) elements at \(position) reaches out of the file")
    }
    return (position + 4, count)
  }

  /// Returns `count` bytes of the file, without a copy.
  func slice(from start: Int, count: Int) throws -> ByteValues {
    guard start >= 0, count >= 0, let slice = bytes.slice(from: start, count: count) else {
      throw Self.damaged("\(count) bytes from \(start) on reach out of the file")
    }
    return slice
  }

  /// Returns an error for a damaged file. `what` says how the bytes are damaged.
  static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "The file is damaged or truncated: \(what).")
  }
}
