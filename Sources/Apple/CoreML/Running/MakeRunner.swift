import ModelFormat

/// Makes the runner for a model of any supported type.
func makeRunner(
  for model: Spec.Model, description: MLModelDescription, settings: RunnerSettings
) throws -> any ModelRunner {
  if let network = try NetworkRunner(model, description: description, settings: settings) {
    return network
  }
  if let classical = try makeClassicalRunner(
    for: model, description: description, settings: settings)
  {
    return classical
  }
  switch model.type {
  case .mlProgram(let program)?:
    return try NetworkRunner(
      program, of: model, description: description, settings: settings)
  case .pipeline(let pipeline)?:
    return try PipelineRunner(pipeline, description: description, settings: settings)
  case .pipelineClassifier(let classifier)?:
    return try PipelineRunner(
      classifier.pipeline ?? Spec.Pipeline(), description: description, settings: settings)
  case .pipelineRegressor(let regressor)?:
    return try PipelineRunner(
      regressor.pipeline ?? Spec.Pipeline(), description: description, settings: settings)
  case .linkedModel(let linked)?:
    return try linkedRunner(linked, of: model, description: description, settings: settings)
  case .customModel(let custom)?:
    return try CustomModelRunner(custom, description: description)
  case let other?:
    throw MLModelError(.generic, refusal(of: other))
  case nil:
    throw MLModelError(
      .io,
      "The model has no type, or one that this version does not know. It may be newer than specification "
        + "version 10, or damaged.")
  }
}

/// Returns the error message for a model of an unsupported type: why it cannot run, and what a user can do instead.
private func refusal(of type: Spec.Model.OneOfType) -> String {
  let name: String = Mirror(reflecting: type).children.first?.label ?? "unknown"
  let (reason, wayOut): (String, String) =
    switch type {
    case .bayesianProbitRegressor:
      (
        "their files do not hold the parameter β that turns a mean into a probability",
        "Train a logistic regression with the same data instead (CreateML.MLLogisticRegressionClassifier)."
      )
    case .serializedModel(let model):
      (
        "the bytes of '\(model.identifier)' are in a format that is not published",
        "Use the model from which it was made."
      )
    case .visionFeaturePrint:
      (
        "Apple's systems have the feature network, and the file does not",
        "A classifier does not work with the features of another network: train it again from the photos with"
          + " `atelier learn` or CreateML.MLImageClassifier, which has its own network."
      )
    case .audioFeaturePrint:
      (
        "Apple's systems have the feature network, and the file does not",
        "A classifier does not work with the features of another network: convert an audio network such as"
          + " YAMNet and train a classifier over its features; `soundAnalysisPreprocessing` computes its input."
      )
    case .textClassifier, .wordTagger, .gazetteer, .wordEmbedding:
      (
        "their parameters are in a format of Apple's Natural Language framework that is not published",
        "Convert a text network, or use a glmClassifier over word counts."
      )
    default: ("they are new to this version", "Convert a neural network that does the same.")
    }
  return "Models of type \(name) do not run here, because \(reason). \(wayOut)"
}
