import Files
import Foundation

extension ModelFile {
  /// Compiles a model into a folder `<name>.mlmodelc` inside `directory`.
  ///
  /// The folder is self-contained and may be moved. It appears in one step, and replaces an existing folder of the same
  /// name.
  ///
  /// - Returns: The location of the compiled folder.
  public static func compile(from source: URL, into directory: URL) throws -> URL {
    let file: ModelFile = try open(source)
    try file.requireBlobFiles()
    let stem: String = source.deletingPathExtension().lastPathComponent
    let target: URL = directory.appendingPathComponent("\(stem).mlmodelc", isDirectory: true)
    try CompiledModel.write(
      file.model, to: target,
      failure: "Model \(file.name) cannot be compiled into '\(directory.path)'. Is the folder"
    ) { folder in
      try file.copyContents(into: folder)
    }
    return target
  }

  /// Checks that every weight file of a program can be read.
  private func requireBlobFiles() throws {
    guard case .mlProgram(let program)? = model.type else { return }
    for fileName in program.blobFileNames.sorted() {
      do {
        _ = try blobFile(named: fileName)
      } catch let error as ModelFormatError where !error.message.hasPrefix("Model ") {
        throw ModelFormatError(
          code: error.code, message: "Model \(name): \(error.message)", cause: error)
      }
    }
  }

  /// Copies the specification and the weights. The weights keep their paths relative to the specification.
  private func copyContents(into folder: URL) throws {
    guard let url, let specificationURL, let modelDirectory else { return }
    let manager = FileManager.default
    let model: URL = folder.appendingPathComponent(CompiledModel.modelName)
    if specificationURL.lastPathComponent == CompiledModel.textName {
      try self.model.write(to: model)
    } else {
      try manager.copyItem(at: specificationURL.resolvingSymlinksInPath(), to: model)
    }
    let isPackage: Bool = manager.fileExists(
      atPath: url.appendingPathComponent("Manifest.json").path)
    let items: [URL] =
      isPackage && packageRoot != nil
      ? try ModelPackage(url).items : weightsDirectory.map { [$0] } ?? []
    let specification: URL = specificationURL.standardizedFileURL
    // The items of a package include the specification, which was copied above.
    for item in items
    where item.lies(within: modelDirectory) && item.standardizedFileURL != specification {
      try Self.copy(item, from: modelDirectory, to: folder)
    }
    guard case .mlProgram(let program)? = self.model.type else { return }
    for fileName in program.blobFileNames {
      guard let file = try blobFileURL(named: fileName) else { continue }
      guard file.lies(within: modelDirectory) else {
        throw ModelFormatError(
          code: .badPackage,
          message:
            "Model \(name): the weight file '\(fileName)' is outside of the model's own folder, "
            + "so it cannot be compiled. Move it into the model's folder.")
      }
      try Self.copy(file, from: modelDirectory, to: folder)
    }
  }

  /// Copies `item`, a file or folder in `outer`, to the same relative path in `folder`. Does nothing if something
  /// already exists at that path.
  private static func copy(_ item: URL, from outer: URL, to folder: URL) throws {
    let manager = FileManager.default
    let depth: Int = outer.standardizedFileURL.pathComponents.count
    let parts: ArraySlice<String> = item.standardizedFileURL.pathComponents.dropFirst(depth)
    let copy: URL = parts.reduce(folder) { $0.appendingPathComponent($1) }
    guard !manager.fileExists(atPath: copy.path) else { return }
    try manager.createDirectory(
      at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try manager.copyItem(at: item, to: copy)
  }
}
