import CDeflate
import ModelFormat
import Platform
import Tensors

/// A ZIP archive: the files in it by their names. What is not packed stays in the mapped file.
///
/// **Source:** APPNOTE.TXT of PKWARE.
package struct ZipArchive {
  private let bytes: ByteValues
  private var entries: [String: Int] = [:]

  /// Reads the list of files.
  ///
  /// - Throws: ``EngineError`` for what is no archive, or is cut off.
  package init(_ bytes: ByteValues) throws {
    self.bytes = bytes
    let mark: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    let first: Int = max(0, bytes.count - 22 - 65_535)
    guard bytes.count >= 22,
      let end = stride(from: bytes.count - 22, through: first, by: -1).first(where: { place in
        bytes[place] == mark[0] && bytes[place + 1] == mark[1] && bytes[place + 2] == mark[2]
          && bytes[place + 3] == mark[3]
      })
    else { throw Self.damaged("it has no list of its files. It may be cut off") }
    let count: Int = try number(end + 10, 2)
    var place: Int = try number(end + 16, 4)
    for _ in 0..<count {
      guard try number(place, 4) == 0x0201_4B50 else { throw Self.damaged("its list is broken") }
      let length: Int = try number(place + 28, 2)
      let name = String(decoding: try slice(place + 46, length), as: UTF8.self)
      entries[name] = place
      place += 46 + length + (try number(place + 30, 2)) + (try number(place + 32, 2))
    }
  }

  /// The names of the files, as the archive gives them, in order.
  package var names: [String] { entries.keys.sorted() }

  /// The size that a file is claimed to have when it is unpacked, in bytes; nil where there is none of the name.
  package func size(of name: String) throws -> Int? {
    try entries[name].map { try number($0 + 24, 4) }
  }

  /// The bytes of a file in the archive; nil where there is none of the name.
  package func file(_ name: String) throws -> ByteValues? {
    guard let entry = entries[name] else { return nil }
    let (data, size, isPacked) = try stored(name, entry)
    guard isPacked else { return data }
    guard SystemMemory.has(size) else {
      throw EngineError(
        .outOfMemory,
        "'\(name)' of the archive needs \(size / 1_048_576) MB of memory, which are not free.")
    }
    var made = [UInt8](repeating: 0, count: size)
    let isWhole: Bool = data.withUnsafeBytes { source in
      deflate_unpack(source.baseAddress, source.count, &made, size, false)
    }
    guard isWhole else { throw Self.damaged("'\(name)' cannot be unpacked") }
    return ByteValues(made)
  }

  /// Throws where two files lie in the same bytes of the archive: a small archive could be unpacked into any size.
  package func requireSeparateFiles() throws {
    let ranges: [(name: String, begin: Int, end: Int)] = try entries.map { name, entry in
      let data: ByteValues = try stored(name, entry).data
      let begin: Int = try number(entry + 42, 4)
      return (name, begin, try start(of: entry) + data.count)
    }.sorted { $0.begin < $1.begin }
    for (one, next) in zip(ranges, ranges.dropFirst()) where next.begin < one.end {
      throw Self.damaged("'\(one.name)' and '\(next.name)' lie in the same bytes")
    }
  }

  /// Gives the bytes of a file piece by piece; none of them is held for longer than the call.
  ///
  /// - Throws: ``EngineError`` where there is no such file or it is damaged, and what `write` throws.
  package func unpack(_ name: String, _ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let entry = entries[name] else { throw Self.damaged("it has no file '\(name)'") }
    let (data, size, isPacked) = try stored(name, entry)
    guard isPacked else { return try data.withUnsafeBytes { try write($0) } }
    try withoutActuallyEscaping(write) { write in
      let sink = Sink(write)
      let isWhole: Bool = data.withUnsafeBytes { source in
        deflate_unpack_pieces(
          source.baseAddress, source.count, size, Unmanaged.passUnretained(sink).toOpaque()
        ) { sink, bytes, count in
          guard let sink else { return false }
          // Safe: the sink lives until the call below ends, and the bytes during this one.
          return Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue()
            .take(UnsafeRawBufferPointer(start: bytes, count: count))
        }
      }
      if let failure = sink.failure { throw failure }
      guard isWhole else { throw Self.damaged("'\(name)' cannot be unpacked") }
    }
  }

  /// Where pieces go, and what stopped them.
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

  /// The bytes of an entry as the archive holds them, how many they are unpacked, and whether they are packed.
  private func stored(
    _ name: String, _ entry: Int
  ) throws -> (data: ByteValues, size: Int, isPacked: Bool) {
    let (method, packed, size) = (
      try number(entry + 10, 2), try number(entry + 20, 4), try number(entry + 24, 4)
    )
    let start: Int = try number(entry + 42, 4)
    guard packed != 0xFFFF_FFFF, size != 0xFFFF_FFFF, try number(start, 4) == 0x0403_4B50 else {
      throw Self.damaged("the place of '\(name)' is not known, or it is larger than 4 GB")
    }
    let data: ByteValues = try slice(try self.start(of: entry), packed)
    switch method {
    case 0:
      guard size == packed else {
        throw Self.damaged("'\(name)' has \(packed) bytes and claims to be \(size)")
      }
      return (data, size, false)
    case 8:
      // Deflate makes at most 1,032 bytes of one.
      guard size / 1032 <= packed else {
        throw Self.damaged("'\(name)' claims to be \(size) bytes")
      }
      return (data, size, true)
    default: throw Self.damaged("'\(name)' is packed by a method (\(method)) that is not read")
    }
  }

  /// Where the bytes of an entry begin, after the head that stands before them.
  private func start(of entry: Int) throws -> Int {
    let head: Int = try number(entry + 42, 4)
    return head + 30 + (try number(head + 26, 2)) + (try number(head + 28, 2))
  }

  private func number(_ place: Int, _ count: Int) throws -> Int {
    try slice(place, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func slice(_ place: Int, _ count: Int) throws -> ByteValues {
    guard let slice = bytes.slice(from: place, count: count), slice.count == count else {
      throw Self.damaged(
        "\(count) bytes at \(place) end beyond its \(bytes.count). It may be cut off")
    }
    return slice
  }

  private static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the archive is damaged: \(what).")
  }
}
