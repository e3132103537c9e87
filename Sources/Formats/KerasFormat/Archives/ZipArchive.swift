import CDeflate
import ModelFormat
import Platform
import Tensors

/// A ZIP archive: its files by name. Files that the archive stores without compression stay in the mapped archive.
///
/// **Source:** APPNOTE.TXT of PKWARE.
package struct ZipArchive {
  private let bytes: ByteValues
  private var entries: [String: Int] = [:]

  /// Reads the list of files, which ZIP calls the central directory.
  ///
  /// - Throws: ``EngineError`` if the bytes are not a ZIP archive or are truncated.
  package init(_ bytes: ByteValues) throws {
    self.bytes = bytes
    let mark: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    let first: Int = max(0, bytes.count - 22 - 65_535)
    guard bytes.count >= 22,
      let end = stride(from: bytes.count - 22, through: first, by: -1).first(where: { position in
        bytes[position] == mark[0] && bytes[position + 1] == mark[1]
          && bytes[position + 2] == mark[2]
          && bytes[position + 3] == mark[3]
      })
    else { throw Self.damaged("it has no list of its files. It may be truncated") }
    let count: Int = try number(end + 10, 2)
    var position: Int = try number(end + 16, 4)
    for _ in 0..<count {
      guard try number(position, 4) == 0x0201_4B50 else { throw Self.damaged("its list is broken") }
      let length: Int = try number(position + 28, 2)
      let name = String(decoding: try slice(position + 46, length), as: UTF8.self)
      entries[name] = position
      position += 46 + length + (try number(position + 30, 2)) + (try number(position + 32, 2))
    }
  }

  /// The names of the files, sorted.
  package var names: [String] { entries.keys.sorted() }

  /// Returns the uncompressed size that the archive claims for a file, in bytes. Nil if the archive has no such file.
  package func size(of name: String) throws -> Int? {
    try entries[name].map { try number($0 + 24, 4) }
  }

  /// Returns the uncompressed bytes of a file. Nil if the archive has no file with this name.
  package func file(_ name: String) throws -> ByteValues? {
    guard let entry = entries[name] else { return nil }
    let (data, size, isPacked) = try stored(name, entry)
    guard isPacked else { return data }
    guard SystemMemory.has(size) else {
      throw EngineError(
        .outOfMemory,
        "'\(name)' of the archive needs \(size / 1_048_576) MB of memory, more than is free.")
    }
    var made = [UInt8](repeating: 0, count: size)
    let isInteger: Bool = data.withUnsafeBytes { source in
      deflate_unpack(source.baseAddress, source.count, &made, size, false)
    }
    guard isInteger else { throw Self.damaged("'\(name)' cannot be decompressed") }
    return ByteValues(made)
  }

  /// Throws if two files overlap in the archive. With overlapping files, a small archive could unpack to any size.
  package func requireSeparateFiles() throws {
    let ranges: [(name: String, begin: Int, end: Int)] = try entries.map { name, entry in
      let data: ByteValues = try stored(name, entry).data
      let begin: Int = try number(entry + 42, 4)
      return (name, begin, try start(of: entry) + data.count)
    }.sorted { $0.begin < $1.begin }
    for (one, next) in zip(ranges, ranges.dropFirst()) where next.begin < one.end {
      throw Self.damaged("'\(one.name)' and '\(next.name)' overlap")
    }
  }

  /// Decompresses a file and passes its bytes to `write` piece by piece. A piece is valid only during the call that
  /// gets it.
  ///
  /// - Throws: ``EngineError`` if the archive has no such file or the file is damaged. Also throws the errors of
  ///   `write`.
  package func unpack(_ name: String, _ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let entry = entries[name] else { throw Self.damaged("it has no file '\(name)'") }
    let (data, size, isPacked) = try stored(name, entry)
    guard isPacked else { return try data.withUnsafeBytes { try write($0) } }
    try withoutActuallyEscaping(write) { write in
      let sink = Sink(write)
      let isInteger: Bool = data.withUnsafeBytes { source in
        deflate_unpack_pieces(
          source.baseAddress, source.count, size, Unmanaged.passUnretained(sink).toOpaque()
        ) { sink, bytes, count in
          guard let sink else { return false }
          // Safe: the sink lives until `deflate_unpack_pieces` returns, and the bytes live during this closure's call.
          return Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue()
            .take(UnsafeRawBufferPointer(start: bytes, count: count))
        }
      }
      if let failure = sink.failure { throw failure }
      guard isInteger else { throw Self.damaged("'\(name)' cannot be decompressed") }
    }
  }

  /// Passes the pieces of a file to a closure, and stores the error if the closure throws.
  private final class Sink {
    private let write: (UnsafeRawBufferPointer) throws -> Void
    private(set) var failure: (any Error)?

    init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.write = write }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      do {
        try write(bytes)
        return true
      } catch {
        failure = error
        return false
      }
    }
  }

  /// Returns the bytes of an entry as the archive stores them, the entry's uncompressed size, and whether the bytes are
  /// compressed.
  private func stored(
    _ name: String, _ entry: Int
  ) throws -> (data: ByteValues, size: Int, isPacked: Bool) {
    let (method, packed, size) = (
      try number(entry + 10, 2), try number(entry + 20, 4), try number(entry + 24, 4)
    )
    let start: Int = try number(entry + 42, 4)
    guard packed != 0xFFFF_FFFF, size != 0xFFFF_FFFF, try number(start, 4) == 0x0403_4B50 else {
      throw Self.damaged("the position of '\(name)' is not known, or it is larger than 4 GB")
    }
    let data: ByteValues = try slice(try self.start(of: entry), packed)
    switch method {
    case 0:
      guard size == packed else {
        throw Self.damaged("'\(name)' has \(packed) bytes and claims to be \(size)")
      }
      return (data, size, false)
    case 8:
      // Deflate expands one byte to at most 1,032 bytes.
      guard size / 1032 <= packed else {
        throw Self.damaged("'\(name)' claims to be \(size) bytes")
      }
      return (data, size, true)
    default: throw Self.damaged("'\(name)' is compressed by an unsupported method (\(method))")
    }
  }

  /// Returns the position of an entry's bytes, which follow its local header.
  private func start(of entry: Int) throws -> Int {
    let head: Int = try number(entry + 42, 4)
    return head + 30 + (try number(head + 26, 2)) + (try number(head + 28, 2))
  }

  private func number(_ position: Int, _ count: Int) throws -> Int {
    try slice(position, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func slice(_ position: Int, _ count: Int) throws -> ByteValues {
    guard let slice = bytes.slice(from: position, count: count), slice.count == count else {
      throw Self.damaged(
        "\(count) bytes at \(position) reach beyond its \(bytes.count). It may be truncated")
    }
    return slice
  }

  private static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the archive is damaged: \(what).")
  }
}
