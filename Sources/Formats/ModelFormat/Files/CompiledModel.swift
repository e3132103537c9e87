import Files
import Foundation

/// The layout of a `.mlmodelc` folder of ours: `metadata.json`, `model.mlmodel`, the weights.
enum CompiledModel {
  static let modelName = "model.mlmodel"
  static let metadataName = "metadata.json"
  static let formatVersion = 1

  private struct Metadata: Codable {
    var format: String
    var version: Int
  }

  /// Whether the folder is one that we compiled, or that holds a model file all the same.
  static func isCompiledModel(_ url: URL, name: String) throws -> Bool {
    let model: URL = url.appendingPathComponent(modelName)
    let hasModel: Bool = FileManager.default.fileExists(atPath: model.path)
    let json: Data? = try? Data(
      contentsOfRegularFile: url.appendingPathComponent(metadataName))
    let metadata: Metadata? = json.flatMap { try? JSONDecoder().decode(Metadata.self, from: $0) }
    if let metadata, metadata.format == "atelier" {
      guard metadata.version <= formatVersion else {
        throw ModelFormatError(
          code: .unsupported,
          message: "Model \(name) was compiled by a newer Atelier (format \(metadata.version), "
            + "expected \(formatVersion)). Compile it again from its .mlmodel or .mlpackage.")
      }
      guard hasModel else {
        throw ModelFormatError(
          code: .badPackage,
          message: "Model \(name) lacks its file '\(modelName)'. Compile it again.")
      }
      return true
    }
    let apple: [String] = ["coremldata.bin", "model.mil", "model.espresso.net"]
    let isApple: Bool = apple.contains { file in
      FileManager.default.fileExists(atPath: url.appendingPathComponent(file).path)
    }
    if isApple, !hasModel {
      throw ModelFormatError(
        code: .unsupported,
        message: "Model \(name) was compiled by Apple's tools, whose format is private. "
          + "Give the .mlmodel or .mlpackage that it was compiled from.")
    }
    return hasModel
  }

  /// Writes the note that says who compiled the folder.
  static func writeMetadata(into folder: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = try encoder.encode(Metadata(format: "atelier", version: formatVersion))
    try json.write(to: folder.appendingPathComponent(metadataName))
  }
}

extension ModelFile {
  /// Compiles a `.mlmodel` or `.mlpackage` into a folder `<name>.mlmodelc` inside `directory`.
  ///
  /// The folder is self-contained and may be moved. It appears in one step; one of the same name is
  /// replaced.
  ///
  /// - Returns: the folder.
  public static func compile(from source: URL, into directory: URL) throws -> URL {
    let file: ModelFile = try open(source)
    let stem: String = source.deletingPathExtension().lastPathComponent
    let target: URL = directory.appendingPathComponent("\(stem).mlmodelc", isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let draft = try Draft(of: target.path, isFolder: true)
      let folder = URL(fileURLWithPath: draft.path, isDirectory: true)
      try file.copyContents(into: folder)
      try CompiledModel.writeMetadata(into: folder)
      try draft.place()
    } catch let error as ModelFormatError {
      throw error
    } catch {
      throw ModelFormatError(
        code: .unwritable,
        message: "Model \(file.name) cannot be compiled into '\(directory.path)'. Is the folder "
          + "writable and the disk not full?",
        cause: error)
    }
    return target
  }

  /// Copies the specification, and the weights at their places relative to it.
  private func copyContents(into folder: URL) throws {
    guard let url, let specificationURL, let modelDirectory else { return }
    let manager = FileManager.default
    let model: URL = folder.appendingPathComponent(CompiledModel.modelName)
    try manager.copyItem(at: specificationURL.resolvingSymlinksInPath(), to: model)
    let isPackage: Bool = manager.fileExists(
      atPath: url.appendingPathComponent("Manifest.json").path)
    let items: [URL] =
      isPackage && packageRoot != nil
      ? try ModelPackage(url).items : weightsDirectory.map { [$0] } ?? []
    let depth: Int = modelDirectory.standardizedFileURL.pathComponents.count
    for item in items where item.lies(within: modelDirectory) {
      let parts: ArraySlice<String> = item.standardizedFileURL.pathComponents.dropFirst(depth)
      let copy: URL = parts.reduce(folder) { $0.appendingPathComponent($1) }
      // The specification itself is an item too.
      if item.standardizedFileURL == specificationURL.standardizedFileURL { continue }
      try manager.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      if !manager.fileExists(atPath: copy.path) { try manager.copyItem(at: item, to: copy) }
    }
  }
}
