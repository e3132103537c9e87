import Foundation
import ModelFormat

/// Makes the runner of a model that is a link to another model file.
///
/// The link's search path is a list of folders, separated by colons. The paths of these folders are relative to the
/// folder that contains the link's file. If the search path is empty, the function searches the folder of the link's
/// file. The linked file is a `.mlmodelc`, `.mlpackage` or `.mlmodel`. The file name in the link may lack the
/// extension. Models that link to the same file share its runner.
func linkedRunner(
  _ linked: Spec.LinkedModel, of model: Spec.Model, description: MLModelDescription,
  settings: RunnerSettings
) throws -> any ModelRunner {
  guard case .linkedModelFile(let link)? = linked.linkType,
    let name = link.linkedModelFileName?.defaultValue, !name.isEmpty
  else {
    throw MLModelError(.io, "The linked model names no file. The model may be damaged.")
  }
  guard let home = settings.home else {
    throw MLModelError(
      .io,
      "The model is a link to the file '\(name)' next to it, but it was not loaded from a file. Load it"
        + " from its file.")
  }
  guard settings.linkDepth < 8 else {
    throw MLModelError(
      .io, "The linked model '\(name)' leads through more than 8 links, or back to itself.")
  }
  let path: String = link.linkedModelSearchPath?.defaultValue ?? ""
  let folders: [URL] =
    path.isEmpty
    ? [home]
    : path.split(separator: ":").map { URL(fileURLWithPath: String($0), relativeTo: home) }
  for folder in folders {
    for ending in ["", ".mlmodelc", ".mlpackage", ".mlmodel"] {
      let url: URL = folder.appendingPathComponent(name + ending).standardizedFileURL
      guard FileManager.default.fileExists(atPath: url.path) else { continue }
      let file = try ModelFile.open(url)
      let following: RunnerSettings = settings.following(file)
      return try SharedRunners.runner(of: file, settings: following) {
        try makeRunner(
          for: file.model, description: MLModelDescription(file.model), settings: following)
      }
    }
  }
  throw MLModelError(
    .io,
    "The model is a link to '\(name)', which is not in \(folders.map { "'\($0.path)'" }.joined(separator: " or "))."
      + " Put it there.")
}
