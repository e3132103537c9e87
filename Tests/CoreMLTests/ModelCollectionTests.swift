import Encryption
import Foundation
import ModelFormat
import Testing

@testable import CoreML

/// Tests models that are deployed separately from the app.
@Suite(.serialized) struct ModelCollectionTests {
  /// Writes a deployment of the model `y = 2x + 1` to a folder. The model's author is the deployment's name.
  private func deploy(_ name: String, to folder: URL, damaged: Bool = false) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file: URL = folder.appendingPathComponent("Double-\(name).mlmodel")
    try SampleModels.doubling { $0.description?.metadata = .making { $0.author = name } }
      .write(to: file)
    let manifest = """
      { "identifier": "numbers", "deployment": "\(name)", "models": { "double": {
        "path": "\(file.lastPathComponent)", "files": [ { "path": "\(file.lastPathComponent)",
        "size": \(try Data(contentsOf: file).count),
        "sha256": "\(SHA256.hexDigest(ofFile: file) ?? "")" } ] } } }
      """
    if damaged {
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: file)
    }
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("manifest.json"))
  }

  private func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("ModelCollectionTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    MLModelCollection.setStore(folder.appendingPathComponent("store"))
    defer {
      MLModelCollection.setStore(nil)
      try? FileManager.default.removeItem(at: folder)
    }
    return try await body(folder)
  }

  private func author(of collection: MLModelCollection) throws -> String? {
    let entry = try #require(collection.entries["double"])
    return try MLModel(contentsOf: entry.modelURL).modelDescription.metadata[.author] as? String
  }

  @Test("New accesses use a new deployment, and the old one stays while it is in use")
  func deployments() async throws {
    try await withFolder { folder in
      let source: URL = folder.appendingPathComponent("source")
      MLModelCollection.setSource(source, forIdentifier: "numbers")
      try deploy("one", to: source)
      let first = try await MLModelCollection.beginAccessing(identifier: "numbers")
      #expect(first.deploymentID == "one")
      #expect(try author(of: first) == "one")
      try deploy("two", to: source)
      let second = try await MLModelCollection.beginAccessing(identifier: "numbers")
      #expect(second.deploymentID == "two")
      #expect(try author(of: second) == "two")
      #expect(try author(of: first) == "one")
      #expect(try await MLModelCollection.endAccessing(identifier: "numbers"))
      #expect(try await MLModelCollection.endAccessing(identifier: "numbers"))
      #expect(try await !MLModelCollection.endAccessing(identifier: "numbers"))
      // After the third deployment has arrived, nobody uses the first two.
      try deploy("three", to: source)
      _ = try await MLModelCollection.beginAccessing(identifier: "numbers")
      let versions: URL = folder.appendingPathComponent(
        "store/atelier/collections/numbers/versions")
      #expect(try FileManager.default.contentsOfDirectory(atPath: versions.path) == ["three"])
      try await MLModelCollection.endAccessing(identifier: "numbers")
    }
  }

  @Test("If the source is unavailable, the local deployment is used")
  func offline() async throws {
    try await withFolder { folder in
      let source: URL = folder.appendingPathComponent("source")
      MLModelCollection.setSource(source, forIdentifier: "numbers")
      try deploy("one", to: source)
      _ = try await MLModelCollection.beginAccessing(identifier: "numbers")
      try FileManager.default.removeItem(at: source)
      let again = try await MLModelCollection.beginAccessing(identifier: "numbers")
      #expect(again.deploymentID == "one")
      for _ in 0..<2 { try await MLModelCollection.endAccessing(identifier: "numbers") }
    }
  }

  @Test("A file that does not match the manifest is refused, and the old deployment stays")
  func digest() async throws {
    try await withFolder { folder in
      let source: URL = folder.appendingPathComponent("source")
      MLModelCollection.setSource(source, forIdentifier: "numbers")
      try deploy("one", to: source)
      _ = try await MLModelCollection.beginAccessing(identifier: "numbers")
      try deploy("two", to: source, damaged: true)
      await #expect(throws: MLModelError.self) {
        try await MLModelCollection.beginAccessing(identifier: "numbers")
      }
      try FileManager.default.removeItem(at: source)
      let left = try await MLModelCollection.beginAccessing(identifier: "numbers")
      #expect(left.deploymentID == "one")
      for _ in 0..<2 { try await MLModelCollection.endAccessing(identifier: "numbers") }
    }
  }

  @Test(
    "Invalid manifests, and manifests with paths outside their folder, are refused",
    arguments: [
      #"{}"#, #"{"identifier": "other", "deployment": "1", "models": {}}"#,
      #"{"identifier": "numbers", "deployment": "../1", "models": {}}"#,
      #"{"identifier": "numbers", "deployment": "1", "models": {"a": {"path": "../a", "files": []}}}"#,
      #"""
      {"identifier": "numbers", "deployment": "1", "models": {"a": {"path": "a", "files":
       [{"path": "a/../../b", "size": 1, "sha256": "00"}]}}}
      """#,
    ])
  func manifests(json: String) {
    #expect(throws: MLModelError.self) {
      try CollectionManifest(Data(json.utf8), for: "numbers")
    }
  }

  @Test("An address that is not https is refused")
  func address() async throws {
    try await withFolder { _ in
      let url = try #require(URL(string: "http://localhost/models"))
      MLModelCollection.setSource(url, forIdentifier: "numbers")
      let error: MLModelError? = await #expect(throws: MLModelError.self) {
        try await MLModelCollection.beginAccessing(identifier: "numbers")
      }
      #expect(error?.code == .modelCollection)
      #expect(error?.localizedDescription.contains("expected a folder or an https address") == true)
    }
  }

  @Test("Sizes with an overflowing sum do not stop a deployment")
  func hugeSizes() async throws {
    try await withFolder { folder in
      let source: URL = folder.appendingPathComponent("source")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
      let file = { (name: String) in
        #"{"path": "\#(name)", "size": \#(Int.max), "sha256": "\#(String(repeating: "0", count: 64))"}"#
      }
      let json = """
        {"identifier": "numbers", "deployment": "one", "models": {
          "a": {"path": "a", "files": [\(file("a"))]}, "b": {"path": "b", "files": [\(file("b"))]}}}
        """
      try Data(json.utf8).write(to: source.appendingPathComponent("manifest.json"))
      try Data([1]).write(to: source.appendingPathComponent("a"))
      MLModelCollection.setSource(source, forIdentifier: "numbers")
      let error = await #expect(throws: MLModelError.self) {
        try await MLModelCollection.beginAccessing(identifier: "numbers")
      }
      #expect(error?.localizedDescription.contains("does not have the SHA-256 digest") == true)
    }
  }

  @Test("A download counts bytes as they arrive, resumes where it stopped, and has a limit")
  func counting() async throws {
    try await withFolder { folder in
      let target: String = folder.appendingPathComponent("file").path
      func outcome(_ script: String, limit: Int, seconds: Int = 60) throws
        -> CountedDownload.Outcome
      {
        try CountedDownload(command: ["sh", "-c", script], limit: limit, seconds: seconds)
          .run(to: target)
      }
      let size = { try Data(contentsOf: URL(fileURLWithPath: target)).count }
      let first = try outcome("head -c 600 /dev/zero", limit: 1000)
      #expect(first == .ended(0))
      #expect(try outcome("head -c 400 /dev/zero; exit 3", limit: 1000) == .ended(3))
      #expect(try size() == 1000)
      // The source is endless and states no length.
      #expect(try outcome("exec cat /dev/zero", limit: 100_000) == .tooLong)
      #expect(try size() <= 100_000)
      #expect(try outcome("exec sleep 100", limit: 1_000_000, seconds: 1) == .late)
      #expect(try outcome("exec no-such-program-here", limit: 1_000_000) == .ended(127))
    }
  }
}
