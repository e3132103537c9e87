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
    let name: String = Mirror(reflecting: other).children.first?.label ?? "unknown"
    throw MLModelError(
      .generic,
      "Models of type \(name) are not supported yet; ML Programs, neural networks, linear models, trees, "
        + "nearest neighbours, support vectors, feature engineering, non-maximum suppression, recommenders, "
        + "sound preprocessing, pipelines of them and custom models are. \(wayOut(of: other))")
  case nil:
    throw MLModelError(
      .io,
      "The model has no type, or one that this version does not know. It may be newer than specification "
        + "version 10, or damaged.")
  }
}

/// Returns a sentence that says what a user can do about a model of an unsupported type.
private func wayOut(of type: Spec.Model.OneOfType) -> String {
  switch type {
  case .bayesianProbitRegressor:
    return "Train one of these types with the same data instead."
  case .serializedModel:
    return "Use the model that it contains."
  case .visionFeaturePrint:
    return
      "Its feature network is part of Apple's systems and not in the file, and its classifier does not work with the "
      + "features of another network: train the model again from the photos with `atelier learn` or "
      + "CreateML.MLImageClassifier, which has its own network."
  default:
    return "It needs parts of Apple's systems; a neural network that does the same can be "
      + #"converted: coremltools.convert(…, convert_to="neuralnetwork")."#
  }
}
