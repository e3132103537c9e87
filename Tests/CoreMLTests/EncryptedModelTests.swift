import Encryption
import Foundation
import ModelFormat
import Testing

@testable import CoreML

/// Tests encrypted models, which cannot be opened without their key.
@Suite struct EncryptedModelTests {
  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("EncryptedModelTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Writes the model `y = 2x + 1`, encrypted. Returns the location of the model.
  private func encrypted(in folder: URL, _ key: MLModelDecryptionKey) throws -> URL {
    let url: URL = folder.appendingPathComponent("secret.mlmodelc")
    let model: Spec.Model = SampleModels.doubling()
    try EncryptedModel.write(ModelFile(bytes: model.serialized()), to: url, key: key)
    return url
  }

  private func answer(_ model: MLModel) throws -> [Double] {
    let x = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3], shape: [3]))
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
    let y = try #require(output.featureValue(for: "y")?.multiArrayValue)
    return (0..<3).map { y[$0].doubleValue }
  }

  @Test("An encrypted model predicts with its key, given in advance or on request")
  func loading() async throws {
    let key = try MLModelDecryptionKey.random()
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("EncryptedModelTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url: URL = try encrypted(in: folder, key)
    #expect(try answer(MLModel(contentsOf: url, key: key)) == [3, 5, 7])
    #expect(try answer(await MLModel.load(contentsOf: url, key: key)) == [3, 5, 7])
    let configuration = MLModelConfiguration()
    configuration.decryptionKey = { identifier in
      guard identifier == key.identifier else { throw CocoaError(.fileNoSuchFile) }
      return key
    }
    #expect(try answer(MLModel(contentsOf: url, configuration: configuration)) == [3, 5, 7])
    // The encrypted model is one file, so a new version replaces it completely.
    #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["model.encrypted"])
    _ = try encrypted(in: folder, key)
  }

  @Test(
    "Without a key, with a wrong key or with a failing key provider, the error gives the reason")
  func keys() throws {
    try withFolder { folder in
      let key = try MLModelDecryptionKey.random()
      let url: URL = try encrypted(in: folder, key)
      let missing: MLModelError? = #expect(throws: MLModelError.self) {
        try MLModel(contentsOf: url)
      }
      #expect(missing?.code == .modelDecryptionKeyFetch)
      #expect(missing?.localizedDescription.contains(key.identifier) == true)
      let other: MLModelError? = #expect(throws: MLModelError.self) {
        try MLModel(contentsOf: url, key: .random())
      }
      #expect(other?.code == .modelDecryption)
      let configuration = MLModelConfiguration()
      configuration.decryptionKey = { _ in throw MLModelError(.io, "The vault is closed.") }
      let closed: MLModelError? = #expect(throws: MLModelError.self) {
        try MLModel(contentsOf: url, configuration: configuration)
      }
      #expect(closed?.code == .modelDecryptionKeyFetch)
      #expect(closed?.localizedDescription.hasSuffix("The vault is closed.") == true)
    }
  }

  @Test("A thousand different byte changes are refused")
  func changedBytes() throws {
    try withFolder { folder in
      let key = try MLModelDecryptionKey.random()
      let url: URL = try encrypted(in: folder, key)
      let file: URL = url.appendingPathComponent("model.encrypted")
      let data = try Data(contentsOf: file)
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<1000 {
        var changed: Data = data
        let position = Int.random(in: 0..<data.count, using: &generator)
        changed[position] ^= UInt8.random(in: 1...255, using: &generator)
        try changed.write(to: file)
        let error: MLModelError? = #expect(throws: MLModelError.self, "byte \(position)") {
          try MLModel(contentsOf: url, key: key)
        }
        #expect(error?.code == .modelDecryption, "byte \(position)")
      }
    }
  }

  @Test("All other functions that open models report that an encrypted model is encrypted")
  func otherFunctions() throws {
    try withFolder { folder in
      let url: URL = try encrypted(in: folder, .random())
      let error: MLModelError? = #expect(throws: MLModelError.self) {
        try MLModelAsset(url: url)
      }
      #expect(
        error?.localizedDescription.contains("Model 'secret.mlmodelc' is encrypted.") == true)
    }
  }
}
