import Foundation
import ModelFormat

/// A model that predicts.
///
/// One object may predict on many threads at once. Models are read from `.mlmodel` files,
/// `.mlpackage` folders and `.mlmodelc` folders that ``compileModel(at:)-swift.method`` made;
/// Apple's framework needs the last.
open class MLModel: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: the loaded model is sendable, and the configuration is a copy of the
  // caller's that nobody changes or gets hold of.

  let loaded: LoadedModel
  private let ownConfiguration: MLModelConfiguration

  /// Makes a model of one that is loaded.
  init(_ loaded: LoadedModel, configuration: MLModelConfiguration) {
    self.loaded = loaded
    ownConfiguration = configuration.duplicate()
  }

  /// Loads a model with the default configuration.
  ///
  /// - Throws: ``MLModelError`` when the file cannot be read, is damaged, or needs what is not
  ///   supported.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, configuration: MLModelConfiguration())
  }

  /// Loads a model.
  ///
  /// - Throws: ``MLModelError`` when the file cannot be read, is damaged, or needs what is not
  ///   supported.
  public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    self.init(
      try LoadedModel.load(contentsOf: url, configuration: configuration),
      configuration: configuration)
  }

  /// What the model takes and gives.
  open var modelDescription: MLModelDescription { loaded.description }

  /// A copy of the configuration that the model was loaded with.
  open var configuration: MLModelConfiguration { ownConfiguration.duplicate() }

  /// What models compute on here.
  open class var availableComputeDevices: [MLComputeDevice] { MLComputeDevice.allComputeDevices }

  /// The devices in words: `the processor (AMD EPYC)`.
  package class var computeDeviceText: String {
    availableComputeDevices.map(\.description).joined(separator: " and ")
  }

  /// The value of a parameter: the configuration's, or else the model's default.
  ///
  /// The weights and biases of an updatable model's layers are float32 arrays, outputs first:
  /// `parameterValue(for: .weights.scoped(to: "dense"))`.
  ///
  /// - Throws: ``MLModelError`` for parameters that the model does not have.
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
