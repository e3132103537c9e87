import Foundation
import ModelFormat

/// What a model takes and gives, and what its author says about it.
public final class MLModelDescription: NSObject, Sendable {
  /// The inputs by name.
  public let inputDescriptionsByName: [String: MLFeatureDescription]

  /// The outputs by name.
  public let outputDescriptionsByName: [String: MLFeatureDescription]

  /// The states by name.
  public let stateDescriptionsByName: [String: MLFeatureDescription]

  /// What one training example must have, by name.
  public let trainingInputDescriptionsByName: [String: MLFeatureDescription]

  /// The parameters of the training, by key.
  public let parameterDescriptionsByKey: [MLParameterKey: MLParameterDescription]

  /// The output that has the predicted class or number; nil when the model names none.
  public let predictedFeatureName: String?

  /// The output that has the probability of every class; nil when the model names none.
  public let predictedProbabilitiesName: String?

  /// True when the model can be trained further.
  public let isUpdatable: Bool

  let labels: ClassLabels?
  /// The names of the inputs and outputs in the order of the file.
  package let inputNames: [String]
  package let outputNames: [String]
  private let texts: [MLModelMetadataKey: String]
  private let creatorDefined: [String: String]

  /// The description in a model file.
  ///
  /// - Parameter functionName: The function of a model with several; nil for its default one.
  convenience init(_ model: Spec.Model, functionName: String? = nil) throws {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    guard !description.functions.isEmpty else {
      // The only function of a program is called so, whether the description lists it or not.
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

  /// The description of a model whose one function has no name.
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

  /// The classes of a classifier: texts, or whole numbers as `NSNumber`; nil for other models.
  public var classLabels: [Any]? {
    switch labels {
    case .strings(let labels)?: labels
    case .integers(let labels)?: labels.map { NSNumber(value: $0) }
    case nil: nil
    }
  }

  /// What the author says about the model; texts, and a dictionary under `creatorDefinedKey`.
  public var metadata: [MLModelMetadataKey: Any] {
    var all: [MLModelMetadataKey: Any] = [:]
    for (key, text) in texts { all[key] = text }
    all[.creatorDefinedKey] = creatorDefined
    return all
  }

  /// All inputs and outputs.
  override public var description: String {
    func list(_ names: [String], _ byName: [String: MLFeatureDescription]) -> String {
      names.compactMap { byName[$0]?.description }.joined(separator: "; ")
    }
    return "inputs: \(list(inputNames, inputDescriptionsByName))\n"
      + "outputs: \(list(outputNames, outputDescriptionsByName))"
  }
}
