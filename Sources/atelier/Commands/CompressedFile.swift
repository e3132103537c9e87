import Compression
import CoreML
import Encryption
import Foundation
import ModelFormat

/// Writes the output of `atelier compress`. If the original is encrypted, the output is encrypted with the same key,
/// and the plain weights are never written to a disk.
struct CompressedFile {
  /// The model to compress.
  let file: ModelFile
  /// The key of the original. Nil if the original is not encrypted.
  private let key: EncryptionKey?

  /// A folder of the system whose files are in memory.
  private static let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)

  /// Checks the name of the output. Throws if the original is encrypted and the output is not named `*.mlmodelc`.
  init(_ output: URL, of source: URL, _ file: ModelFile, key: EncryptionKey?) throws {
    self.file = file
    guard ModelFile.isEncrypted(source) else {
      self.key = nil
      return
    }
    guard output.pathExtension.lowercased() == "mlmodelc" else {
      throw CommandError(
        "'\(source.lastPathComponent)' is encrypted, so the result is encrypted with the same key."
          + " Name the output *.mlmodelc, not '\(output.lastPathComponent)'.")
    }
    self.key = key
  }

  /// Compresses the original and writes the result.
  func write(_ settings: CompressionSettings, to url: URL) throws {
    guard let key else {
      try Interruption.protected { _ = try ModelCompressor(settings).compress(file, to: url) }
      return
    }
    let isProgram: Bool = if case .mlProgram? = file.model.type { true } else { false }
    try withFolder { folder in
      let plain: URL = folder.appendingPathComponent(isProgram ? "m.mlpackage" : "m.mlmodel")
      _ = try ModelCompressor(settings).compress(file, to: plain)
      let compressed = try ModelFile.open(plain)
      try Interruption.protected { try EncryptedModel.write(compressed, to: url, key: key) }
    }
  }

  /// Calls the closure with an empty folder, and removes the folder afterwards. For an encrypted model, the folder is
  /// in memory.
  func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    guard key != nil else { return try Interruption.withTemporaryFolder(body) }
    guard FileManager.default.isWritableFile(atPath: Self.memory.path) else {
      throw CommandError(
        "An encrypted model is compressed in the folder '\(Self.memory.path)', which is in memory,"
          + " and this folder cannot be written to. Compress the model before you encrypt it.")
    }
    return try Interruption.withTemporaryFolder(in: Self.memory, body)
  }
}
