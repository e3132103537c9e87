import Foundation
import ModelFormat

/// A model that is ready to predict.
struct LoadedModel: Sendable {
  let description: MLModelDescription
  let runner: any ModelRunner
  /// What an update begins with; nil for a model that cannot be updated.
  let updatable: Spec.Model?

  /// - Parameter file: Where the weights of ML Programs are.
  init(
    _ specification: Spec.Model, configuration: MLModelConfiguration, file: ModelFile? = nil
  ) throws {
    var model: Spec.Model = specification
    let described = try MLModelDescription(model, functionName: configuration.functionName)
    if let parameters = configuration.parameters {
      try translatingErrors { try model.override(with: parameters) }
      try described.check(parameters)
    }
    description = described
    updatable = model.isUpdatable ? model : nil
    let settings = RunnerSettings(configuration, file: file)
    runner = try translatingErrors {
      try makeRunner(for: model, description: described, settings: settings)
    }
  }

  /// A model that an update has made.
  init(updated model: Spec.Model, configuration: MLModelConfiguration) {
    description = MLModelDescription(unnamed: model)
    updatable = model
    runner = DeferredRunner(
      model, description: description, settings: RunnerSettings(configuration))
  }

  /// Opens a `.mlmodel`, `.mlpackage` or `.mlmodelc`.
  static func load(contentsOf url: URL, configuration: MLModelConfiguration) throws -> LoadedModel {
    guard url.isFileURL else {
      throw MLModelError(
        .io, "A model can only be loaded from a file, not from \(url.absoluteString).")
    }
    let file = try ModelFile.open(url, configuration)
    return try LoadedModel(file.model, configuration: configuration, file: file)
  }
}

extension ModelFile {
  /// Opens a `.mlmodel`, `.mlpackage` or `.mlmodelc`; an encrypted one with the configuration's key, into memory.
  package static func open(
    _ url: URL, _ configuration: MLModelConfiguration
  ) throws -> ModelFile {
    isEncrypted(url)
      ? try EncryptedModel.open(url, key: configuration.decryptionKey)
      : try translatingErrors { try open(url) }
  }
}
