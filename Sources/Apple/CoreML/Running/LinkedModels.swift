import Foundation
import ModelFormat

/// The runner of a model that stands for another one in a file beside it.
///
/// The search path lists folders, separated by colons and relative to the folder that the model lies in;
/// without one that folder itself is searched. The file is a `.mlmodelc`, `.mlpackage` or `.mlmodel`, with
/// or without its ending.
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
      "The model stands for '\(name)' in a file beside it, but it was not loaded from a file. Load it"
        + " from its file.")
  }
  guard settings.linkDepth < 8 else {
    throw MLModelError(
      .io, "The linked model '\(name)' leads through more than 8 files, or back to itself.")
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
      return try makeRunner(
        for: file.model, description: MLModelDescription(file.model),
        settings: settings.following(file))
    }
  }
  throw MLModelError(
    .io,
    "The model stands for '\(name)', which is not in \(folders.map { "'\($0.path)'" }.joined(separator: " or "))."
      + " Put it there.")
}
