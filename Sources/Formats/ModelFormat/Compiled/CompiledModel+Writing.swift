import Files
import Foundation

extension Spec.Model {
  /// Writes a model with all its weights inside as a `.mlmodelc` folder, which appears complete or not
  /// at all.
  ///
  /// - Throws: `ModelFormatError` where something else than an empty folder or a compiled model is in
  ///   the way: nothing is deleted that is not a model.
  public func writeCompiled(to url: URL) throws {
    let target: URL = url.standardizedFileURL
    try Self.checkPlace(target)
    try CompiledModel.write(
      self, to: target,
      failure: "The compiled model '\(target.path)' cannot be written. Is the folder around it"
    ) { folder in
      try write(to: folder.appendingPathComponent(CompiledModel.modelName))
    }
  }

  /// Throws where a compiled model would replace something else than one.
  package static func checkPlace(_ target: URL) throws {
    try ModelFolder.checkPlace(
      target, of: "compiled model", contents: CompiledModel.contents,
      wayOut: "Choose another name, or one that ends with .mlmodel.")
  }
}

extension CompiledModel {
  /// Makes a folder, which appears complete or not at all, and one of the same name is replaced.
  ///
  /// - Parameters:
  ///   - failure: begins the sentence when it cannot be written, up to the place that should be writable.
  ///   - contents: writes the model into the folder; its description is written after it.
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
