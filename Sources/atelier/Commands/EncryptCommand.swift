import Arguments
import CoreML
import Encryption
import Foundation
import ModelFormat

/// `atelier encrypt`: writes a model that can only be opened with a key.
enum EncryptCommand: Command {
  static let syntax = CommandSyntax(
    "encrypt", summary: "Encrypts a model, so that it can only be loaded with its key.",
    operands: [.init("MODEL", help: "A model file, or a fetched model's name.")],
    options: [
      .init(
        "output", letter: "o", value: "NEW.mlmodelc", isRequired: true,
        help: "The encrypted model, a folder."),
      .init("key", value: "FILE", help: "The key to encrypt it with."),
      .init(
        "new-key", value: "FILE",
        help: "Or makes a key and writes it to a new file that only its owner\ncan read."),
      .init("json", help: "Prints the result as JSON."),
    ],
    notes: """
      AES-256-GCM, in chunks. Everybody who has the key file can read the model, so store it elsewhere.
      Without it nobody can. All commands that run a model take --key FILE.

      Example: atelier encrypt Style.mlmodel -o Style.mlmodelc --new-key style.key
               atelier stylize photo.jpg -m Style.mlmodelc --key style.key
      """)

  /// The encrypted model for JSON.
  private struct Report: Encodable {
    let model: String
    /// The identifier of the key, which the encrypted model names.
    let key: String
    let keyFile: String
    let isNewKey: Bool
  }

  static func run(_ arguments: ParsedArguments) throws {
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    guard output.pathExtension.lowercased() == "mlmodelc" else {
      throw UsageError(
        "--output is '\(output.lastPathComponent)', expected a name that ends with .mlmodelc.")
    }
    let isNew: Bool = arguments.has("new-key")
    guard isNew != arguments.has("key"),
      let path = arguments.value(isNew ? "new-key" : "key")
    else {
      throw UsageError("give --key FILE, or --new-key FILE to make one.")
    }
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let file = try ModelFile.open(location)
    let key: EncryptionKey = try isNew ? .random() : EncryptionKey(contentsOfFile: path)
    if isNew { try key.write(toFile: path) }
    try Interruption.protected { try EncryptedModel.write(file, to: output, key: key) }
    guard !arguments.has("json") else {
      return try Output.json(
        Report(model: output.path, key: key.identifier, keyFile: path, isNewKey: isNew))
    }
    Output.report("\(output.path): encrypted with the key \(key.identifier) ('\(path)')")
  }
}
