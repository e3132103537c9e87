import Files
import Foundation

/// A `.mlpackage` that is being made beside its target, which it replaces when it is complete.
public final class PackageDraft {
  private static let modelIdentifier = "7B5C2A3E-52A6-4D0B-9A1C-5E0A4C6F1D10"
  private static let weightsIdentifier = "C0D4A1F6-8E3B-4B57-8F22-2A9D7B3C6E11"
  private static let author = "com.apple.CoreML"

  private let draft: Draft
  private let folder: URL

  /// An empty package.
  public init(of url: URL) throws {
    do {
      draft = try Draft(of: url.standardizedFileURL.path, isFolder: true)
    } catch let error as FileError {
      throw Self.failed(url, error.reason)
    }
    folder = URL(fileURLWithPath: draft.path, isDirectory: true)
    try FileManager.default.createDirectory(
      at: weights.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  /// Where the weights go: a path for ``BlobFileWriter``.
  public var weights: URL {
    folder.appendingPathComponent("Data/\(Self.author)/weights/weight.bin")
  }

  /// The name that a program calls its weights by.
  public static let weightsName = "@model_path/weights/weight.bin"

  /// Adds the model and the list of what is there, and puts the package in its place.
  public func place(_ model: Spec.Model) throws {
    try model.write(to: folder.appendingPathComponent("Data/\(Self.author)/model.mlmodel"))
    let manifest = Manifest(
      fileFormatVersion: "1.0.0",
      itemInfoEntries: [
        Self.modelIdentifier: Item(
          author: Self.author, description: "CoreML Model Specification", name: "model.mlmodel",
          path: "\(Self.author)/model.mlmodel"),
        Self.weightsIdentifier: Item(
          author: Self.author, description: "CoreML Model Weights", name: "weights",
          path: "\(Self.author)/weights"),
      ], rootModelIdentifier: Self.modelIdentifier)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(manifest).write(to: folder.appendingPathComponent("Manifest.json"))
    do {
      try draft.place()
    } catch let error as FileError {
      throw Self.failed(URL(fileURLWithPath: draft.target), error.reason)
    }
  }

  private static func failed(_ url: URL, _ reason: String) -> ModelFormatError {
    ModelFormatError(code: .unwritable, message: "'\(url.path)' cannot be written: \(reason).")
  }

  private struct Manifest: Encodable {
    let fileFormatVersion: String
    let itemInfoEntries: [String: Item]
    let rootModelIdentifier: String
  }

  private struct Item: Encodable {
    let author: String
    let description: String
    let name: String
    let path: String
  }
}
