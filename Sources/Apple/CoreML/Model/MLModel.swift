import Foundation
import ModelFormat

/// A machine learning model.
///
/// One object can predict on many threads at once. A model can be loaded from a `.mlmodel` file, from a `.mlpackage`
/// folder, or from a `.mlmodelc` folder that ``compileModel(at:)-swift.method`` made. Apple's framework loads only
/// `.mlmodelc` folders.
open class MLModel: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: the loaded model is sendable. The configuration is a private copy that nobody changes.

  let loaded: LoadedModel
  private let ownConfiguration: MLModelConfiguration

  /// Makes a model object for a loaded model.
  init(_ loaded: LoadedModel, configuration: MLModelConfiguration) {
    self.loaded = loaded
    ownConfiguration = configuration.duplicate()
  }

  /// Loads a model with the default configuration.
  ///
  /// - Throws: ``MLModelError`` when the file cannot be read, is damaged, or needs a feature that is not supported.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, configuration: MLModelConfiguration())
  }

  /// Loads a model with a configuration.
  ///
  /// - Throws: ``MLModelError`` when the file cannot be read, is damaged, or needs a feature that is not supported.
  public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    self.init(
      try LoadedModel.load(contentsOf: url, configuration: configuration),
      configuration: configuration)
  }

  /// The inputs, outputs and metadata of the model.
  open var modelDescription: MLModelDescription { loaded.description }

  /// A copy of the configuration with which the model was loaded.
  open var configuration: MLModelConfiguration { ownConfiguration.duplicate() }

  /// The devices of this machine on which models run.
  open class var availableComputeDevices: [MLComputeDevice] { MLComputeDevice.allComputeDevices }

  /// The devices as text, such as `the processor (AMD EPYC)`.
  package class var computeDeviceText: String {
    availableComputeDevices.map(\.description).joined(separator: " and ")
  }

  /// Returns the value of a parameter. This is the value in the configuration, or the model's default if the
  /// configuration has no value.
  ///
  /// In an updatable model, the weights and biases of layers are parameters, too. An example is
  /// `parameterValue(for: .weights.scoped(to: "dense"))`. The values are float32 arrays whose first axis is the output
  /// channels.
  ///
  /// - Throws: ``MLModelError`` for a parameter that the model does not have.
  open func parameterValue(for key: MLParameterKey) throws -> Any {
    if let value = ownConfiguration.parameters?[key] { return value }
    if let updatable = loaded.updatable,
      let array = try translatingErrors({ try updatable.layerParameter(key) })
    {
      return array
    }
    if let parameter = modelDescription.parameterDescriptionsByKey[key] {
      return parameter.defaultValue
    }
    let known: [String] = modelDescription.parameterDescriptionsByKey.keys.map(\.description)
    throw MLModelError(
      .parameters,
      "The model has no parameter '\(key)'; "
        + (known.isEmpty
          ? "it has none."
          : "it has \(known.sorted().map { "'\($0)'" }.joined(separator: ", "))."))
  }
}
