import Encryption
import Engine
import Files
import Foundation
import ModelFormat

/// A key of 256 bits for encrypted models. Not in Apple's framework.
public typealias MLModelDecryptionKey = EncryptionKey

/// A model and its weights in one encrypted file, which is only ever decrypted into memory.
///
/// What is encrypted is, little-endian: the number of entries (4 bytes); for each the length of its name
/// (4), the name, the place of its bytes (8) and their number (8); then the bytes of all entries, each at
/// a multiple of 64. The entry without a name is the model as a message, the others are its weight files
/// by their paths.
package enum EncryptedModel {
  private static let alignment = 64

  // MARK: Writing

  /// Writes a model as a `.mlmodelc` folder that only the key opens, and which appears complete or not
  /// at all.
  package static func write(_ file: ModelFile, to url: URL, key: EncryptionKey) throws {
    let target: URL = url.standardizedFileURL
    try Spec.Model.checkPlace(target)
    var entries: [(name: String, bytes: ByteValues)] = [("", ByteValues(file.model.serialized()))]
    entries += try file.weightFiles().map { ($0.path, $0.bytes) }
    let (index, places, total) = layout(entries)
    let draft = try Draft(of: target.path, isFolder: true)
    let sealed = try Draft(of: "\(draft.path)/\(CompiledModel.encryptedName)")
    var stream = Stream(index: index, entries: entries.map(\.bytes), places: places)
    try SealedFile.write(count: total, key: key, next: { stream.next($0) }) { bytes in
      try sealed.write(bytes)
    }
    try sealed.place()
    try draft.place()
  }

  /// The index, where each entry's bytes begin, and how many bytes there are in all.
  private static func layout(
    _ entries: [(name: String, bytes: ByteValues)]
  ) -> (index: [UInt8], places: [Int], total: Int) {
    var end: Int = 4 + entries.reduce(0) { $0 + 20 + $1.name.utf8.count }
    var places: [Int] = []
    for entry in entries {
      let place: Int = (end + alignment - 1) / alignment * alignment
      places.append(place)
      end = place + entry.bytes.count
    }
    var index: [UInt8] = []
    func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { index += Array($0) }
    }
    add(UInt32(entries.count))
    for (entry, place) in zip(entries, places) {
      add(UInt32(entry.name.utf8.count))
      index += Array(entry.name.utf8)
      add(UInt64(place))
      add(UInt64(entry.bytes.count))
    }
    return (index, places, end)
  }

  /// The index and the entries with the gaps between them, in pieces.
  private struct Stream {
    private var parts: [(start: Int, bytes: ByteValues)]
    private var position: Int = 0

    init(index: [UInt8], entries: [ByteValues], places: [Int]) {
      parts = [(0, ByteValues(index))] + zip(places, entries).map { ($0, $1) }
    }

    /// The next bytes, up to so many.
    mutating func next(_ limit: Int) -> [UInt8] {
      var piece: [UInt8] = []
      piece.reserveCapacity(limit)
      while piece.count < limit, let part = parts.first {
        let place: Int = position - part.start
        if place < 0 {
          let gap: Int = min(-place, limit - piece.count)
          piece += [UInt8](repeating: 0, count: gap)
          position += gap
        } else if place < part.bytes.count {
          let count: Int = min(part.bytes.count - place, limit - piece.count)
          part.bytes.withUnsafeBytes { piece += $0[place..<(place + count)] }
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
  /// - Throws: ``MLModelError`` of the code `modelDecryptionKeyFetch` where there is no key, and
  ///   `modelDecryption` where it is another one or the file was changed.
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
        "Model \(name) is encrypted with the key \(sealed.keyIdentifier). Give it: --key FILE, or"
          + " MLModelConfiguration.decryptionKey.")
    }
    let key: EncryptionKey
    do {
      key = try provider(sealed.keyIdentifier)
    } catch {
      throw MLModelError(
        .modelDecryptionKeyFetch,
        "The key \(sealed.keyIdentifier) of model \(name) could not be had: \(sentence(of: error))",
        cause: error)
    }
    guard sealed.count <= MemoryBudget.available() else {
      throw MLModelError(
        .generic,
        "Model \(name) takes \(sealed.count) bytes of memory when it is decrypted, and"
          + " \(MemoryBudget.available()) are free.")
    }
    let bytes: ByteValues = try translated {
      try ByteValues(secret: sealed.count) { try sealed.open(with: key, into: $0) }
    }
    return try translatingErrors { try file(in: bytes, name: name) }
  }

  /// The model of decrypted bytes. They are those that were encrypted, but not by us, perhaps.
  private static func file(in bytes: ByteValues, name: String) throws -> ModelFile {
    func damaged() -> MLModelError {
      MLModelError(
        .modelDecryption,
        "Model \(name) holds something else than an encrypted model. Encrypt it again.")
    }
    func number(at place: Int, bytes count: Int) throws -> Int {
      guard let slice = bytes.slice(from: place, count: count) else { throw damaged() }
      let value: UInt64 = slice.enumerated().reduce(0) { $0 | UInt64($1.1) << (8 * UInt64($1.0)) }
      guard let number = Int(exactly: value) else { throw damaged() }
      return number
    }
    let count: Int = try number(at: 0, bytes: 4)
    var place: Int = 4
    var message: ByteValues?
    var blobs: [URL: ByteValues] = [:]
    for _ in 0..<count {
      let length: Int = try number(at: place, bytes: 4)
      guard let text = bytes.slice(from: place + 4, count: length) else { throw damaged() }
      place += 4 + length
      let (start, size) = (try number(at: place, bytes: 8), try number(at: place + 8, bytes: 8))
      place += 16
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
