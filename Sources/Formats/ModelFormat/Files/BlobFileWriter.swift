import Foundation
import Glibc

/// Writes a weight file of an ML Program, one blob after the other. See ``BlobFile`` for its layout.
public final class BlobFileWriter {
  private static let alignment = 64
  private static let sentinel: UInt32 = 0xDEAD_BEEF

  private let descriptor: Int32?
  private let name: String
  private var position = 0
  /// How many blobs there are so far.
  public private(set) var count = 0
  /// The bytes, for a file in memory.
  public private(set) var bytes: [UInt8] = []

  /// A file in memory.
  public init() {
    descriptor = nil
    name = "in memory"
    bytes = Self.header(count: 0)
    position = bytes.count
  }

  /// A new file at a path.
  public init(path: String) throws {
    name = path
    let descriptor: Int32 = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failed(path) }
    self.descriptor = descriptor
    try append(Self.header(count: 0))
  }

  deinit { if let descriptor { close(descriptor) } }

  private static func failed(_ name: String) -> ModelFormatError {
    ModelFormatError(
      code: .unwritable,
      message: "The weight file '\(name)' cannot be written: \(systemMessage(errno)).")
  }

  private static func header(count: Int) -> [UInt8] {
    little(UInt32(count)) + little(UInt32(2)) + [UInt8](repeating: 0, count: 56)
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// Adds a blob.
  ///
  /// - Parameter count: How many elements the bytes hold.
  /// - Returns: The offset that names it in a program.
  public func add(_ type: BlobFile.DataType, _ values: [UInt8], count elements: Int) throws
    -> UInt64
  {
    try align()
    let place: Int = position
    let padding: Int = type.bitWidth < 8 ? values.count * 8 - elements * type.bitWidth : 0
    var record: [UInt8] = Self.little(Self.sentinel) + Self.little(type.rawValue)
    record += Self.little(UInt64(values.count))
    record += Self.little(UInt64(place + Self.alignment)) + Self.little(UInt64(padding))
    record += [UInt8](repeating: 0, count: Self.alignment - record.count)
    try append(record)
    try append(values)
    count += 1
    return UInt64(place)
  }

  /// Writes how many blobs there are. Call it once, in the end.
  public func finish() throws {
    let header: [UInt8] = Self.header(count: count)
    guard let descriptor else {
      bytes.replaceSubrange(0..<header.count, with: header)
      return
    }
    guard pwrite(descriptor, header, header.count, 0) == header.count else {
      throw Self.failed(name)
    }
  }

  private func align() throws {
    let rest: Int = position % Self.alignment
    if rest > 0 { try append([UInt8](repeating: 0, count: Self.alignment - rest)) }
  }

  private func append(_ more: [UInt8]) throws {
    position += more.count
    guard let descriptor else {
      bytes += more
      return
    }
    try more.withUnsafeBytes { source in
      var rest: UnsafeRawBufferPointer = source
      while !rest.isEmpty {
        // Safe: the system reads no more than the buffer has.
        let written: Int = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw Self.failed(name) }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
    }
  }
}
