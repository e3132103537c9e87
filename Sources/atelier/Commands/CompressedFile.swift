import Compression
import CoreML
import Encryption
import Foundation
import ModelFormat

/// Where `atelier compress` writes: of an encrypted model an encrypted one by the same key, whose weights are never on a
/// disk in between.
struct CompressedFile {
  /// The original.
  let file: ModelFile
  /// Nil for a model that is not encrypted.
  private let key: EncryptionKey?

  /// A folder of the system that lies in memory.
  private static let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)

  /// Checks the output's name before anything is computed.
  init(_ output: URL, of source: URL, _ file: ModelFile, key: EncryptionKey?) throws {
    self.file = file
    guard ModelFile.isEncrypted(source) else {
      self.key = nil
      return
    }
    guard output.pathExtension.lowercased() == "mlmodelc" else {
      throw CommandError(
        "'\(source.lastPathComponent)' is encrypted, and what is made of it is encrypted with the same key; name the"
          + " output *.mlmodelc, not '\(output.lastPathComponent)'.")
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

  /// Calls the closure with an empty folder that is removed afterwards; in memory for an encrypted model.
  func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    guard key != nil else { return try Interruption.withTemporaryFolder(body) }
    guard FileManager.default.isWritableFile(atPath: Self.memory.path) else {
      throw CommandError(
        "An encrypted model is compressed in the folder '\(Self.memory.path)', which lies in memory, and it cannot be"
          + " written to here. Compress the model before you encrypt it.")
    }
    return try Interruption.withTemporaryFolder(in: Self.memory, body)
  }
}
