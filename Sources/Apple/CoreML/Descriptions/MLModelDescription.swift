import Foundation
import ModelFormat

/// The inputs, outputs, states, training parameters and metadata of a model.
public final class MLModelDescription: NSObject, Sendable {
  /// The inputs by name.
  public let inputDescriptionsByName: [String: MLFeatureDescription]

  /// The outputs by name.
  public let outputDescriptionsByName: [String: MLFeatureDescription]

  /// The states by name.
  public let stateDescriptionsByName: [String: MLFeatureDescription]

  /// The features that each training example must have, by name.
  public let trainingInputDescriptionsByName: [String: MLFeatureDescription]

  /// The parameters of the model's training, by key.
  public let parameterDescriptionsByKey: [MLParameterKey: MLParameterDescription]

  /// The name of the output with the predicted class or number; nil when the model names no such output.
  public let predictedFeatureName: String?

  /// The name of the output with the probability of every class; nil when the model names no such output.
  public let predictedProbabilitiesName: String?

  /// Whether `MLUpdateTask` can update the model on the device.
  public let isUpdatable: Bool

  let labels: ClassLabels?
  /// The outputs and thresholds of an object detector; nil for other models.
  package let detector: DetectorDescription?
  /// The names of the inputs, in the order in which the model file lists them.
  package let inputNames: [String]
  /// The names of the outputs, in the order in which the model file lists them.
  package let outputNames: [String]
  private let texts: [MLModelMetadataKey: String]
  private let creatorDefined: [String: String]

  /// Reads the description in a model file.
  ///
  /// - Parameter functionName: The name of the function to describe, for a model with several functions. Nil means the
  ///   model's default function.
  /// - Throws: ``MLModelError`` when the model has no function of that name.
  convenience init(_ model: Spec.Model, functionName: String? = nil) throws {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    guard !description.functions.isEmpty else {
      // A caller may ask an ML Program with one function for "main", although the description of such a model lists no
      // functions.
      let isMain: Bool = if case .mlProgram? = model.type { functionName == "main" } else { false }
      if let functionName, !isMain {
        throw MLModelError(
          .parameters,
          "The model has no function '\(functionName)'; it has a single function without a name.")
      }
      self.init(unnamed: model)
      return
    }
    let name: String = functionName ?? description.defaultFunctionName
    guard let function = description.functions.first(where: { $0.name == name }) else {
      let names: String = description.functions.map { "'\($0.name)'" }.joined(separator: ", ")
      throw MLModelError(.parameters, "The model has no function '\(name)'; it has \(names).")
    }
    self.init(
      model, input: function.input, output: function.output, state: function.state,
      predicted: function.predictedFeatureName,
      probabilities: function.predictedProbabilitiesName)
  }

  /// Reads the description of a model that has a single function without a name.
  convenience init(unnamed model: Spec.Model) {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    self.init(
      model, input: description.input, output: description.output, state: description.state,
      predicted: description.predictedFeatureName,
      probabilities: description.predictedProbabilitiesName)
  }

  private init(
    _ model: Spec.Model, input: [Spec.FeatureDescription], output: [Spec.FeatureDescription],
    state: [Spec.FeatureDescription], predicted: String, probabilities: String
  ) {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    inputDescriptionsByName = MLModelDescription.byName(input)
    outputDescriptionsByName = MLModelDescription.byName(output)
    stateDescriptionsByName = MLModelDescription.byName(state)
    trainingInputDescriptionsByName = MLModelDescription.byName(description.trainingInput)
    inputNames = input.map(\.name)
    outputNames = output.map(\.name)
    predictedFeatureName = predicted.isEmpty ? nil : predicted
    predictedProbabilitiesName = probabilities.isEmpty ? nil : probabilities
    isUpdatable = model.isUpdatable
    labels = ClassLabels.labels(of: model)
    detector = DetectorDescription(model)
    parameterDescriptionsByKey = MLParameterDescription.all(of: model)
    let metadata: Spec.Metadata = description.metadata ?? Spec.Metadata()
    texts = [
      .author: metadata.author, .description: metadata.shortDescription,
      .license: metadata.license, .versionString: metadata.versionString,
    ]
    creatorDefined = metadata.userDefined
  }

  private static func byName(
    _ descriptions: [Spec.FeatureDescription]
  ) -> [String: MLFeatureDescription] {
    var byName: [String: MLFeatureDescription] = [:]
    for description in descriptions { byName[description.name] = MLFeatureDescription(description) }
    return byName
  }

  /// The class labels of a classifier or of an object detector: strings, or integers as `NSNumber`; nil for other models.
  public var classLabels: [Any]? {
    switch labels {
    case .strings(let labels)?: labels
    case .integers(let labels)?: labels.map { NSNumber(value: $0) }
    case nil: nil
    }
  }

  /// The model's metadata. The value of `creatorDefinedKey` is a dictionary, and the other values are strings.
  public var metadata: [MLModelMetadataKey: Any] {
    var all: [MLModelMetadataKey: Any] = [:]
    for (key, text) in texts { all[key] = text }
    all[.creatorDefinedKey] = creatorDefined
    return all
  }

  /// All inputs and outputs as text.
  override public var description: String {
    func list(_ names: [String], _ byName: [String: MLFeatureDescription]) -> String {
      names.compactMap { byName[$0]?.description }.joined(separator: "; ")
    }
    return "inputs: \(list(inputNames, inputDescriptionsByName))\n"
      + "outputs: \(list(outputNames, outputDescriptionsByName))"
  }
}
