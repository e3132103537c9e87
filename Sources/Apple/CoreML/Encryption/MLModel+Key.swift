import Foundation

/// Encrypted models, which `atelier encrypt` makes. Not in Apple's framework, which has the system ask
/// Apple's servers for the key.
extension MLModel {
  /// Loads an encrypted model; its weights are decrypted into memory and never onto the disk. A model
  /// that is not encrypted loads as always.
  ///
  /// - Throws: ``MLModelError`` of the code `modelDecryption` for another key, and for a file of which
  ///   any byte was changed.
  public convenience init(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    key: MLModelDecryptionKey
  ) throws {
    let own: MLModelConfiguration = configuration.duplicate()
    own.decryptionKey = { _ in key }
    try self.init(contentsOf: url, configuration: own)
  }

  /// Loads an encrypted model without blocking the caller. See ``init(contentsOf:configuration:key:)``.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    key: MLModelDecryptionKey
  ) async throws -> MLModel {
    let own: MLModelConfiguration = configuration.duplicate()
    own.decryptionKey = { _ in key }
    return try await load(contentsOf: url, configuration: own)
  }
}
