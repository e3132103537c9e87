import Foundation

/// The layout of a `.mlmodelc` folder.
///
/// Ours hold the model as a message, `model.mlmodel`, and `metadata.json`. Where it is an ML Program
/// there is also what Apple's compiler writes: the text `model.mil`, `coremldata.bin`, and
/// `metadata.json` in Apple's form. Weights lie in `weights`, in folders of both. An encrypted model is
/// one file, `model.encrypted`.
package enum CompiledModel {
  static let modelName = "model.mlmodel"
  /// Everything of an encrypted model, in one file.
  package static let encryptedName = "model.encrypted"
  static let textName = "model.mil"
  static let metadataName = "metadata.json"
  static let formatVersion = 1
  /// What a compiled model may hold, so that another may replace it.
  static let contents: Set<String> = [
    modelName, textName, metadataName, CompiledDescription.fileName, "weights", "analytics",
    encryptedName,
  ]

  /// Which file of a folder to read.
  enum Kind {
    /// A model as a message, compiled by us or not.
    case message
    /// The text of an ML Program.
    case text
  }

  private struct Note: Codable {
    var format: String
    var version: Int
  }

  /// What kind of compiled model the folder holds; nil where it is none.
  static func kind(of url: URL, name: String) throws -> Kind? {
    func holds(_ file: String) -> Bool {
      FileManager.default.fileExists(atPath: url.appendingPathComponent(file).path)
    }
    if let note = try? note(in: url), note.format == "atelier" {
      guard note.version <= formatVersion else {
        throw ModelFormatError(
          code: .unsupported,
          message: "Model \(name) was compiled by a newer Atelier (format \(note.version), "
            + "expected \(formatVersion)). Compile it again from its .mlmodel or .mlpackage.")
      }
      guard holds(modelName) else {
        throw ModelFormatError(
          code: .badPackage,
          message: "Model \(name) lacks its file '\(modelName)'. Compile it again.")
      }
    }
    if holds(modelName) { return .message }
    if holds(textName) { return .text }
    if holds(CompiledDescription.fileName) || holds("model.espresso.net") {
      throw ModelFormatError(
        code: .unsupported,
        message: "Model \(name) was compiled by Apple's tools and is no ML Program; the format of "
          + "other compiled models is private. Give the .mlmodel or .mlpackage that it was compiled "
          + "from.")
    }
    return nil
  }

  /// Who compiled the folder, where its `metadata.json` says so.
  private static func note(in folder: URL) throws -> Note? {
    let json = try Data(contentsOfRegularFile: folder.appendingPathComponent(metadataName))
    if let metadata = CompiledMetadata.read(json) {
      guard let format = metadata.format, let version = metadata.formatVersion else { return nil }
      return Note(format: format, version: version)
    }
    return try JSONDecoder().decode(Note.self, from: json)
  }

  /// Writes what lies beside the model and its weights.
  ///
  /// - Parameter name: the folder's name without its ending.
  static func writeDescription(of model: Spec.Model, name: String, into folder: URL) throws {
    let metadataFile: URL = folder.appendingPathComponent(metadataName)
    guard case .mlProgram(let program)? = model.type else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      try encoder.encode(Note(format: "atelier", version: formatVersion)).write(to: metadataFile)
      return
    }
    var metadata = CompiledMetadata(model, program: program, name: name)
    (metadata.format, metadata.formatVersion) = ("atelier", formatVersion)
    try metadata.json().write(to: metadataFile)
    let text = MILText(compiling: program, of: model)
    try Data(text.utf8).write(to: folder.appendingPathComponent(textName))
    let description = CompiledDescription(
      specificationVersion: model.specificationVersion,
      description: model.description ?? Spec.ModelDescription())
    try Data(description.bytes(functionCount: program.functions.count)).write(
      to: folder.appendingPathComponent(CompiledDescription.fileName))
  }

  /// The model of a folder that holds a program's text, with the description that lies beside it, or
  /// else with what the text says.
  static func readText(in folder: URL, name: String) throws -> Spec.Model {
    func bytes(_ file: String) throws -> ByteValues? {
      let path: String = folder.appendingPathComponent(file).path
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      do {
        return try MappedFile(path: path).bytes
      } catch let error as ModelFormatError {
        throw ModelFormatError(
          code: error.code, message: "Model \(name): \(error.message)", cause: error)
      }
    }
    let text = try MILText(parsing: try bytes(textName) ?? ByteValues(), name: name)
    var model = Spec.Model()
    model.type = .mlProgram(text.program)
    if let file = try bytes(CompiledDescription.fileName) {
      let described = try CompiledDescription(file, name: name)
      model.specificationVersion = described.specificationVersion
      model.description = described.description
      return model
    }
    let json: Data? = try bytes(metadataName).map { $0.withUnsafeBytes { Data($0) } }
    let metadata: CompiledMetadata? = json.flatMap(CompiledMetadata.read)
    model.specificationVersion = metadata?.specificationVersion ?? text.specificationVersion
    model.description = metadata?.modelDescription ?? text.modelDescription
    return model
  }
}
