import Files
import Foundation

extension Spec.Model {
  /// Writes a `.mlpackage` folder, which appears complete or not at all. The new folder replaces an existing package at
  /// `url`.
  ///
  /// - Parameter make: Adds the weights to the package's weight file and returns the model. The model refers to that
  ///   file as ``ModelPackage/weightFileName``.
  /// - Throws: `ModelFormatError` if something other than a package exists at the path.
  public static func writePackage(
    to url: URL, make: (_ weights: BlobFileWriter) throws -> Spec.Model
  ) throws {
    let target: URL = url.standardizedFileURL
    try ModelFolder.checkDestination(
      target, of: "package", contents: ["Manifest.json", "Data"], wayOut: "Choose another name.")
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      let draft = try Draft(of: target.path, isFolder: true)
      try ModelPackage.fill(URL(fileURLWithPath: draft.path, isDirectory: true), make: make)
      try draft.place()
    } catch let error as FileError {
      throw ModelFormatError(
        code: .unwritable,
        message: "The package '\(target.path)' cannot be written: \(error.reason).", cause: error)
    }
  }
}

extension ModelPackage {
  /// The name by which a program refers to the package's weight file.
  public static let weightFileName = "@model_path/weights/weight.bin"

  fileprivate static func fill(_ package: URL, make: (BlobFileWriter) throws -> Spec.Model) throws {
    let manager = FileManager.default
    let author = "com.apple.CoreML"
    let folder: URL = package.appendingPathComponent("Data/\(author)", isDirectory: true)
    let weights: URL = folder.appendingPathComponent("weights", isDirectory: true)
    try manager.createDirectory(at: weights, withIntermediateDirectories: true)
    let writer = try BlobFileWriter(path: weights.appendingPathComponent("weight.bin").path)
    let model: Spec.Model = try make(writer)
    try writer.finish()
    let hasWeights: Bool = writer.blobCount > 0
    if !hasWeights { try manager.removeItem(at: weights) }
    try model.write(to: folder.appendingPathComponent("model.mlmodel"))
    let root: String = UUID().uuidString
    var items: [String: [String: String]] = [
      root: [
        "author": author, "description": "CoreML Model Specification", "name": "model.mlmodel",
        "path": "\(author)/model.mlmodel",
      ]
    ]
    if hasWeights {
      items[UUID().uuidString] = [
        "author": author, "description": "CoreML Model Weights", "name": "weights",
        "path": "\(author)/weights",
      ]
    }
    let manifest: [String: Any] = [
      "fileFormatVersion": "1.0.0", "itemInfoEntries": items, "rootModelIdentifier": root,
    ]
    try JSONSerialization.data(withJSONObject: manifest, options: [.prettyPrinted, .sortedKeys])
      .write(to: package.appendingPathComponent("Manifest.json"))
  }
}
