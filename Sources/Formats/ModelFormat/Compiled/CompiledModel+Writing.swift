import Files
import Foundation

extension Spec.Model {
  /// Writes the model as a `.mlmodelc` folder. The model must contain all its weights. The folder appears complete or
  /// not at all.
  ///
  /// - Throws: `ModelFormatError` if something other than an empty folder or a compiled model exists at the path. So
  ///   this function deletes nothing that is not a model.
  public func writeCompiled(to url: URL) throws {
    let target: URL = url.standardizedFileURL
    try Self.checkDestination(target)
    try CompiledModel.write(
      self, to: target,
      failure: "The compiled model '\(target.path)' cannot be written. Is the folder around it"
    ) { folder in
      try write(to: folder.appendingPathComponent(CompiledModel.modelName))
    }
  }

  /// Throws if something other than an empty folder or a compiled model exists at the path.
  package static func checkDestination(_ target: URL) throws {
    try ModelFolder.checkDestination(
      target, of: "compiled model", contents: CompiledModel.contents,
      wayOut: "Choose another name, or one that ends with .mlmodel.")
  }
}

extension CompiledModel {
  /// Makes a compiled model's folder, which appears complete or not at all. The new folder replaces a folder at
  /// `target`.
  ///
  /// - Parameters:
  ///   - failure: The beginning of the error message for a folder that cannot be written. The message ends with
  ///     “writable and the disk not full?”.
  ///   - contents: Writes the model into the folder. After the call, this function writes the files that describe the
  ///     model.
  static func write(
    _ model: Spec.Model, to target: URL, failure: String, contents: (_ folder: URL) throws -> Void
  ) throws {
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      let draft = try Draft(of: target.path, isFolder: true)
      let folder = URL(fileURLWithPath: draft.path, isDirectory: true)
      try contents(folder)
      let name: String = target.deletingPathExtension().lastPathComponent
      try writeDescription(of: model, name: name, into: folder)
      try draft.place()
    } catch let error as ModelFormatError {
      throw error
    } catch {
      throw ModelFormatError(
        code: .unwritable, message: "\(failure) writable and the disk not full?", cause: error)
    }
  }
}
