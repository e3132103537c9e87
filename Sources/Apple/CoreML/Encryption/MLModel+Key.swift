import Foundation

/// Methods that load encrypted models. The command `atelier encrypt` makes such models. These methods are not in
/// Apple's framework, where the system asks Apple's servers for keys.
extension MLModel {
  /// Loads an encrypted model. The decrypted content is written only to memory, never to disk. The initialiser also
  /// loads models that are not encrypted.
  ///
  /// - Throws: ``MLModelError`` with the code `modelDecryption` for a wrong key and for a file that was changed.
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
