import Foundation
import ModelFormat

/// A model that is ready to predict.
struct LoadedModel: Sendable {
  let description: MLModelDescription
  let runner: any ModelRunner

  init(_ file: ModelFile, configuration: MLModelConfiguration) throws {
    description = try MLModelDescription(file.model, functionName: configuration.functionName)
    let settings = RunnerSettings(configuration)
    let described: MLModelDescription = description
    runner = try translatingErrors {
      try makeRunner(for: file.model, description: described, settings: settings)
    }
  }

  /// Opens a `.mlmodel`, `.mlpackage` or `.mlmodelc`.
  static func load(contentsOf url: URL, configuration: MLModelConfiguration) throws -> LoadedModel {
    guard url.isFileURL else {
      throw MLModelError(
        .io, "A model can only be loaded from a file, not from \(url.absoluteString).")
    }
    let file: ModelFile = try translatingErrors { try ModelFile.open(url) }
    return try LoadedModel(file, configuration: configuration)
  }
}
