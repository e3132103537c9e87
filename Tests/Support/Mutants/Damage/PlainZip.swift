import KerasFormat
import ModelFormat

/// An unpacked ZIP archive. Its files may be changed and packed again, and all lengths in the new archive are right.
struct PlainZip {
  var files: [String: [UInt8]] = [:]

  /// Unpacks an archive. Nil if the bytes are not an archive.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: [0x50, 0x4B]), let archive = try? ZipArchive(ByteValues(bytes)) else {
      return nil
    }
    for name in archive.names {
      guard let file = try? archive.file(name) else { return nil }
      files[name] = file.array()
    }
  }

  /// The archive with its files uncompressed. Checksums are zero, because our reader ignores them.
  var bytes: [UInt8] {
    var (result, directory): ([UInt8], [UInt8]) = ([], [])
    let names: [String] = files.keys.sorted()
    for name in names {
      let content: [UInt8] = files[name] ?? []
      let sizes: [UInt8] =
        ByteDamage.little(0, 4) + ByteDamage.little(UInt64(content.count), 4)
        + ByteDamage.little(UInt64(content.count), 4)
        + ByteDamage.little(UInt64(name.utf8.count), 2) + [0, 0]
      let start: Int = result.count
      result += [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + sizes + Array(name.utf8)
      result += content
      directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + sizes
      directory += [UInt8](repeating: 0, count: 10) + ByteDamage.little(UInt64(start), 4)
      directory += Array(name.utf8)
    }
    let count: [UInt8] = ByteDamage.little(UInt64(names.count), 2)
    let end: [UInt8] =
      [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count
      + ByteDamage.little(UInt64(directory.count), 4) + ByteDamage.little(UInt64(result.count), 4)
      + [0, 0]
    return result + directory + end
  }
}
