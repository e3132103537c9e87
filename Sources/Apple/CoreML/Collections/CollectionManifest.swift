import Foundation

/// What a deployment of models consists of: `manifest.json` in its folder or at its address.
///
/// ```json
/// { "identifier": "styles", "deployment": "2026-11",
///   "models": { "wave": { "path": "Wave.mlmodelc",
///     "files": [ { "path": "Wave.mlmodelc/model.mlmodel", "size": 1177312, "sha256": "9f…" } ] } } }
/// ```
struct CollectionManifest: Codable, Equatable, Sendable {
  /// A file.
  struct File: Codable, Equatable, Sendable {
    /// Its place below the manifest.
    let path: String
    /// Its bytes.
    let size: Int
    /// Its SHA-256 digest, 64 hexadecimal digits.
    let sha256: String
  }

  /// A model.
  struct Model: Codable, Equatable, Sendable {
    /// The file or folder to load.
    let path: String
    /// All its files.
    let files: [File]
  }

  /// The name of the file.
  static let fileName = "manifest.json"
  /// The most that is read of a manifest, in bytes.
  static let sizeLimit = 4 << 20

  /// The collection's name.
  let identifier: String
  /// The deployment's name: another one replaces this one.
  let deployment: String
  /// The models by name.
  let models: [String: Model]

  /// Reads a manifest of a collection.
  ///
  /// - Throws: ``MLModelError``.
  init(_ json: Data, for identifier: String) throws {
    guard json.count <= Self.sizeLimit,
      let decoded = try? JSONDecoder().decode(CollectionManifest.self, from: json)
    else {
      throw Self.fault(
        identifier, "is no manifest: expected an identifier, a deployment and models")
    }
    self = decoded
    guard self.identifier == identifier else {
      throw Self.fault(identifier, "is that of '\(self.identifier)'")
    }
    guard Self.isName(identifier), Self.isName(deployment) else {
      throw Self.fault(
        identifier, "has an identifier or a deployment that is no file name: '\(deployment)'")
    }
    for (name, model) in models {
      let files: [File] = model.files
      guard Self.isPath(model.path), !files.isEmpty,
        files.allSatisfy({ file in
          Self.isPath(file.path)
            && (file.path == model.path || file.path.hasPrefix(model.path + "/"))
            && file.size >= 0 && file.sha256.count == 64
            && file.sha256.allSatisfy { $0.isHexDigit && !$0.isUppercase }
        })
      else {
        throw Self.fault(
          identifier,
          "describes '\(name)' wrongly: its files lie at its path, and each has a size and a SHA-256"
            + " digest in small letters")
      }
    }
  }

  /// All files, each once.
  var files: [File] {
    var seen: Set<String> = []
    return models.sorted { $0.key < $1.key }.flatMap(\.value.files)
      .filter { seen.insert($0.path).inserted }
  }

  /// A name that is a file's, and leads nowhere.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 100
      && !text.contains { $0 == "/" || $0 == "\0" }
  }

  /// A path below a folder that does not leave it.
  static func isPath(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 1000
      && text.split(separator: "/", omittingEmptySubsequences: false)
        .allSatisfy { isName(String($0)) }
  }

  private static func fault(_ identifier: String, _ what: String) -> MLModelError {
    MLModelError(
      .modelCollection, "The manifest of the model collection '\(identifier)' \(what).")
  }
}
