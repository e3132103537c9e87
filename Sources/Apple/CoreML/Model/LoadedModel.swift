import Foundation
import ModelFormat

/// A model that is ready to predict.
struct LoadedModel: Sendable {
  let description: MLModelDescription
  let runner: any ModelRunner
  /// The model from which an update starts; nil for a model that is not updatable.
  let updatable: Spec.Model?

  /// - Parameter file: The file of the model, from which ML Programs read their weights.
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

  /// Makes a loaded model from the specification that an update made.
  init(updated model: Spec.Model, configuration: MLModelConfiguration) {
    description = MLModelDescription(unnamed: model)
    updatable = model
    runner = DeferredRunner(
      model, description: description, settings: RunnerSettings(configuration))
  }

  /// Loads a `.mlmodel`, `.mlpackage` or `.mlmodelc`.
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
  /// Opens a `.mlmodel`, `.mlpackage` or `.mlmodelc`. If the model is encrypted, decrypts it into memory with the
  /// configuration's key.
  package static func open(
    _ url: URL, _ configuration: MLModelConfiguration
  ) throws -> ModelFile {
    isEncrypted(url)
      ? try EncryptedModel.open(url, key: configuration.decryptionKey)
      : try translatingErrors { try open(url) }
  }
}
