import Foundation
import PackagePlugin

/// Generates the class that Xcode would generate for every `.mlmodel` and `.mlpackage` of a target. Adds the compiled
/// models to the resources of the target.
@main
struct ModelClassesPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let tool = try context.tool(named: "atelier-model-class")
    return models(in: target.directoryURL).map { model in
      let name: String = model.deletingPathExtension().lastPathComponent
      let folder: URL = context.pluginWorkDirectoryURL
      let source: URL = folder.appending(path: "\(name).swift")
      let compiled: URL = folder.appending(path: "\(name).mlmodelc")
      return .buildCommand(
        displayName: "Writing the class of \(model.lastPathComponent)", executable: tool.url,
        arguments: [model.path, source.path, folder.path], inputFiles: inputs(model),
        outputFiles: [source, compiled])
    }
  }

  /// Returns the models in a folder and its subfolders. An `.mlpackage` folder counts as one model.
  private func models(in folder: URL) -> [URL] {
    let keys: [URLResourceKey] = [.isDirectoryKey]
    guard
      let items = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: keys)
    else { return [] }
    return items.sorted { $0.path < $1.path }.flatMap { item -> [URL] in
      if ["mlmodel", "mlpackage"].contains(item.pathExtension) { return [item] }
      let isFolder: Bool = (try? item.resourceValues(forKeys: Set(keys)).isDirectory) ?? false
      return isFolder && !item.lastPathComponent.hasPrefix(".") ? models(in: item) : []
    }
  }

  /// Returns the files of a model. The class is generated again when one of them changes.
  private func inputs(_ model: URL) -> [URL] {
    guard model.pathExtension == "mlpackage",
      let files = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
    else { return [model] }
    return files.compactMap { $0 as? URL }.filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
    }
  }
}
