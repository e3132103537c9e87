import ModelFormat

/// The runner for a model of any type that is supported.
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
        + "nearest neighbours, support vectors, feature engineering, non-maximum suppression, pipelines of "
        + "them and custom models are. \(wayOut(of: other))")
  case nil:
    throw MLModelError(
      .io,
      "The model has no type that this version of the specification knows. It may be newer than "
        + "version 10, or damaged.")
  }
}

/// What to do with a model of a type that is refused, as a sentence.
private func wayOut(of type: Spec.Model.OneOfType) -> String {
  switch type {
  case .bayesianProbitRegressor, .itemSimilarityRecommender:
    return "Train one of those with the same data instead."
  case .classConfidenceThresholding:
    return "Run the model before it alone, and do this step in code."
  case .serializedModel:
    return "Give the model that it stands for."
  case .visionFeaturePrint:
    return
      "The network behind it is Apple's own and in no file, and what was learnt with its numbers means "
      + "nothing with others: learn it again from the photos with `atelier learn`, or "
      + "CreateML.MLImageClassifier, which brings its network along."
  default:
    return "It needs parts of Apple's systems; a neural network that does the same can be "
      + #"converted: coremltools.convert(…, convert_to="neuralnetwork")."#
  }
}
