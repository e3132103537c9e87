import Encryption
import Engine
import Files
import Foundation
import ModelFormat

/// A 256-bit key for encrypted models. Not in Apple's framework.
public typealias MLModelDecryptionKey = EncryptionKey

/// A model and its weights in one encrypted file. Atelier writes the decrypted content only to memory, never to disk.
///
/// The encrypted content begins with an index in little-endian order. The index starts with the number of entries (4
/// bytes). For each entry, it contains the length of the entry's name (4 bytes), the name, the offset of the entry's
/// data (8 bytes) and the size of the data (8 bytes). The data of all entries follows the index. The data of each entry
/// starts at a multiple of 64 bytes. The entry with an empty name is the model as a protobuf message. The other entries
/// are weight files, and their names are the paths of these files.
package enum EncryptedModel {
  private static let alignment = 64

  // MARK: Writing

  /// Writes a model as an encrypted `.mlmodelc` folder. The folder appears complete or not at all.
  package static func write(_ file: ModelFile, to url: URL, key: EncryptionKey) throws {
    let target: URL = url.standardizedFileURL
    try Spec.Model.checkDestination(target)
    var entries: [(name: String, bytes: ByteValues)] = [("", ByteValues(file.model.serialized()))]
    entries += try file.weightFiles().map { ($0.path, $0.bytes) }
    let (index, offsets, total) = layout(entries)
    let draft = try Draft(of: target.path, isFolder: true)
    let sealed = try Draft(of: "\(draft.path)/\(CompiledModel.encryptedName)")
    var stream = Stream(index: index, entries: entries.map(\.bytes), offsets: offsets)
    try SealedFile.write(count: total, key: key, next: { stream.next($0) }) { bytes in
      try sealed.write(bytes)
    }
    try sealed.place()
    try draft.place()
  }

  /// Computes the layout of the content. Returns the index, the offset of each entry's data, and the total number of
  /// bytes.
  private static func layout(
    _ entries: [(name: String, bytes: ByteValues)]
  ) -> (index: [UInt8], offsets: [Int], total: Int) {
    var end: Int = 4 + entries.reduce(0) { $0 + 20 + $1.name.utf8.count }
    var offsets: [Int] = []
    for entry in entries {
      let offset: Int = (end + alignment - 1) / alignment * alignment
      offsets.append(offset)
      end = offset + entry.bytes.count
    }
    var index: [UInt8] = []
    func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { index += Array($0) }
    }
    add(UInt32(entries.count))
    for (entry, offset) in zip(entries, offsets) {
      add(UInt32(entry.name.utf8.count))
      index += Array(entry.name.utf8)
      add(UInt64(offset))
      add(UInt64(entry.bytes.count))
    }
    return (index, offsets, end)
  }

  /// A stream of the index and each entry's data. The gaps between these parts are filled with zeros.
  private struct Stream {
    private var parts: [(start: Int, bytes: ByteValues)]
    private var position: Int = 0

    init(index: [UInt8], entries: [ByteValues], offsets: [Int]) {
      parts = [(0, ByteValues(index))] + zip(offsets, entries).map { ($0, $1) }
    }

    /// Returns the next bytes, at most `limit`. Returns an empty array at the end.
    mutating func next(_ limit: Int) -> [UInt8] {
      var piece: [UInt8] = []
      piece.reserveCapacity(limit)
      while piece.count < limit, let part = parts.first {
        let offset: Int = position - part.start
        if offset < 0 {
          let gap: Int = min(-offset, limit - piece.count)
          piece += [UInt8](repeating: 0, count: gap)
          position += gap
        } else if offset < part.bytes.count {
          let count: Int = min(part.bytes.count - offset, limit - piece.count)
          part.bytes.withUnsafeBytes { piece += $0[offset..<(offset + count)] }
          position += count
        } else {
          parts.removeFirst()
        }
      }
      return piece
    }
  }

  // MARK: Reading

  /// Decrypts a model into memory.
  ///
  /// - Throws: ``MLModelError`` with the code `modelDecryptionKeyFetch` when there is no key, and with
  ///   `modelDecryption` when the key is wrong or the file was changed.
  static func open(
    _ url: URL, key provider: ((_ identifier: String) throws -> EncryptionKey)?
  ) throws -> ModelFile {
    let name = "'\(url.lastPathComponent)'"
    let sealed: SealedFile = try translated {
      try SealedFile(contentsOf: url.appendingPathComponent(CompiledModel.encryptedName))
    }
    guard let provider else {
      throw MLModelError(
        .modelDecryptionKeyFetch,
        "Model \(name) is encrypted with the key \(sealed.keyIdentifier). Pass it with --key FILE or"
          + " MLModelConfiguration.decryptionKey.")
    }
    let key: EncryptionKey
    do {
      key = try provider(sealed.keyIdentifier)
    } catch {
      throw MLModelError(
        .modelDecryptionKeyFetch,
        "The key \(sealed.keyIdentifier) of model \(name) could not be fetched: \(sentence(of: error))",
        cause: error)
    }
    guard sealed.count <= MemoryBudget.available() else {
      throw MLModelError(
        .generic,
        "Model \(name) needs \(sealed.count) bytes of memory when it is decrypted, but only"
          + " \(MemoryBudget.available()) are free.")
    }
    let bytes: ByteValues = try translated {
      try ByteValues(secret: sealed.count) { try sealed.open(with: key, into: $0) }
    }
    return try translatingErrors { try file(in: bytes, name: name) }
  }

  /// Reads a model from decrypted bytes. Checks the bytes, because another program may have made the encrypted file.
  private static func file(in bytes: ByteValues, name: String) throws -> ModelFile {
    func damaged() -> MLModelError {
      MLModelError(
        .modelDecryption,
        "The content of model \(name) is not an encrypted model. Encrypt it again.")
    }
    func number(at offset: Int, bytes count: Int) throws -> Int {
      guard let slice = bytes.slice(from: offset, count: count) else { throw damaged() }
      let value: UInt64 = slice.enumerated().reduce(0) { $0 | UInt64($1.1) << (8 * UInt64($1.0)) }
      guard let number = Int(exactly: value) else { throw damaged() }
      return number
    }
    let count: Int = try number(at: 0, bytes: 4)
    var offset: Int = 4
    var message: ByteValues?
    var blobs: [URL: ByteValues] = [:]
    for _ in 0..<count {
      let length: Int = try number(at: offset, bytes: 4)
      guard let text = bytes.slice(from: offset + 4, count: length) else { throw damaged() }
      offset += 4 + length
      let (start, size) = (try number(at: offset, bytes: 8), try number(at: offset + 8, bytes: 8))
      offset += 16
      guard let entry = bytes.slice(from: start, count: size) else { throw damaged() }
      if length == 0 {
        message = entry
      } else {
        let path = String(decoding: text, as: UTF8.self)
        blobs[URL(fileURLWithPath: "/" + path)] = entry
      }
    }
    guard let message else { throw damaged() }
    return try ModelFile(memory: message, blobs: blobs, name: name)
  }

  private static func translated<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as EncryptionError {
      throw MLModelError(.modelDecryption, error.description, cause: error)
    }
  }

  private static func sentence(of error: any Error) -> String {
    if let localized = error as? any LocalizedError, let text = localized.errorDescription {
      return text
    }
    return "\(error)"
  }
}
