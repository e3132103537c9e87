import Foundation

/// The manifest of a deployment of models. It is the file `manifest.json` in the deployment's folder or at its HTTPS
/// address.
///
/// ```json
/// { "identifier": "styles", "deployment": "2026-11",
///   "models": { "wave": { "path": "Wave.mlmodelc",
///     "files": [ { "path": "Wave.mlmodelc/model.mlmodel", "size": 1177312, "sha256": "9f…" } ] } } }
/// ```
struct CollectionManifest: Codable, Equatable, Sendable {
  /// A file of a model.
  struct File: Codable, Equatable, Sendable {
    /// The file's path relative to the manifest.
    let path: String
    /// The file's size in bytes.
    let size: Int
    /// The file's SHA-256 digest, 64 lowercase hexadecimal digits.
    let sha256: String
  }

  /// A model of the deployment.
  struct Model: Codable, Equatable, Sendable {
    /// The path of the file or folder to load, relative to the manifest.
    let path: String
    /// All files of the model.
    let files: [File]
  }

  /// The name of the manifest file.
  static let fileName = "manifest.json"
  /// The size limit of a manifest, in bytes.
  static let sizeLimit = 4 << 20

  /// The collection's name.
  let identifier: String
  /// The deployment's name. Every new deployment has a new name.
  let deployment: String
  /// The models by name.
  let models: [String: Model]

  /// Reads and checks the manifest of a collection.
  ///
  /// - Throws: ``MLModelError`` with the code `modelCollection` when the manifest is not valid.
  init(_ json: Data, for identifier: String) throws {
    guard json.count <= Self.sizeLimit,
      let decoded = try? JSONDecoder().decode(CollectionManifest.self, from: json)
    else {
      throw Self.fault(
        identifier, "is not valid: expected an identifier, a deployment and models")
    }
    self = decoded
    guard self.identifier == identifier else {
      throw Self.fault(identifier, "belongs to the collection '\(self.identifier)'")
    }
    guard Self.isName(identifier), Self.isName(deployment) else {
      throw Self.fault(
        identifier, "has an identifier or a deployment that is not a file name: '\(deployment)'")
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
          "describes '\(name)' wrongly: expected files below its path, each with a size and a SHA-256"
            + " digest in lowercase letters")
      }
    }
  }

  /// The files of all models, without duplicates.
  var files: [File] {
    var seen: Set<String> = []
    return models.sorted { $0.key < $1.key }.flatMap(\.value.files)
      .filter { seen.insert($0.path).inserted }
  }

  /// Returns whether a text is a plain file name, without slashes and leading dots.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 100
      && !text.contains { $0 == "/" || $0 == "\0" }
  }

  /// Returns whether a text is a relative path that stays below its folder.
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
