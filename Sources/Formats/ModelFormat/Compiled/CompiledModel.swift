import Foundation

/// The layout of a `.mlmodelc` folder.
///
/// A folder that this project makes contains the model as a message (`model.mlmodel`) and a file `metadata.json`. If
/// the model is an ML Program, the folder also contains the files of Apple's compiler: the text `model.mil`,
/// `coremldata.bin`, and `metadata.json` in Apple's form. The weights are in a subfolder, `weights`. An encrypted model
/// is one file, `model.encrypted`.
package enum CompiledModel {
  static let modelName = "model.mlmodel"
  /// The single file of an encrypted model.
  package static let encryptedName = "model.encrypted"
  static let textName = "model.mil"
  static let metadataName = "metadata.json"
  static let formatVersion = 1
  /// The names that a compiled model's folder may contain. A writer never replaces a folder that contains other names.
  static let contents: Set<String> = [
    modelName, textName, metadataName, CompiledDescription.fileName, "weights", "analytics",
    encryptedName,
  ]

  /// The form in which a folder contains a compiled model.
  enum Kind {
    /// A model as a message, from this project or from another source.
    case message
    /// The text of an ML Program.
    case text
  }

  private struct CompilerNote: Codable {
    var format: String
    var version: Int
  }

  /// Returns the form in which a folder contains a compiled model. Nil if the folder contains no compiled model.
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
        message:
          "Model \(name) was compiled by Apple's tools and is not an ML Program; the format of "
          + "other compiled models is private. Give the .mlmodel or .mlpackage that it was compiled "
          + "from.")
    }
    return nil
  }

  /// Returns the note of this project's compiler in the folder's `metadata.json`, if there is one.
  private static func note(in folder: URL) throws -> CompilerNote? {
    let json = try Data(contentsOfRegularFile: folder.appendingPathComponent(metadataName))
    if let metadata = CompiledMetadata.read(json) {
      guard let format = metadata.format, let version = metadata.formatVersion else { return nil }
      return CompilerNote(format: format, version: version)
    }
    return try JSONDecoder().decode(CompilerNote.self, from: json)
  }

  /// Writes the files that accompany the model and its weights.
  ///
  /// - Parameter name: The folder's name without its extension.
  static func writeDescription(of model: Spec.Model, name: String, into folder: URL) throws {
    let metadataFile: URL = folder.appendingPathComponent(metadataName)
    guard case .mlProgram(let program)? = model.type else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      try encoder.encode(CompilerNote(format: "atelier", version: formatVersion)).write(
        to: metadataFile)
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

  /// Reads the model from a folder that holds a program's text. The model's description comes from `coremldata.bin`. If
  /// that file is missing, the description comes from `metadata.json`, or else from the text.
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
