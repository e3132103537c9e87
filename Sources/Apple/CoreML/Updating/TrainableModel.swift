import ModelFormat

extension Spec.Model {
  /// The models of the pipeline; nil if this model is not a pipeline.
  var stages: [Spec.Model]? {
    switch type {
    case .pipeline(let pipeline)?: pipeline.models
    case .pipelineClassifier(let classifier)?: classifier.pipeline?.models ?? []
    case .pipelineRegressor(let regressor)?: regressor.pipeline?.models ?? []
    default: nil
    }
  }

  /// Returns a copy of this pipeline with `models` in place of its own models.
  func replacingStages(_ models: [Spec.Model]) -> Spec.Model {
    var copy: Spec.Model = self
    switch type {
    case .pipeline(var pipeline)?:
      pipeline.models = models
      copy.type = .pipeline(pipeline)
    case .pipelineClassifier(var classifier)?:
      classifier.pipeline?.models = models
      copy.type = .pipelineClassifier(classifier)
    case .pipelineRegressor(var regressor)?:
      regressor.pipeline?.models = models
      copy.type = .pipelineRegressor(regressor)
    default: break
    }
    return copy
  }

  /// The part that the specification allows an update to change. This is the last model of a pipeline, or the model
  /// itself if it is not a pipeline.
  var trainable: Spec.Model {
    guard let last = stages?.last else { return self }
    return last.trainable
  }

  /// Changes the part that an update may change.
  mutating func changeTrainable(_ change: (inout Spec.Model) throws -> Void) rethrows {
    guard var models = stages, !models.isEmpty else { return try change(&self) }
    try models[models.count - 1].changeTrainable(change)
    self = replacingStages(models)
  }

  /// The layers of the neural network; empty if this model is not a neural network.
  var networkLayers: [Spec.NeuralNetworkLayer] {
    switch type {
    case .neuralNetwork(let network)?: network.layers
    case .neuralNetworkClassifier(let network)?: network.layers
    case .neuralNetworkRegressor(let network)?: network.layers
    default: []
    }
  }

  /// The training settings of the neural network; nil if the model has no training settings.
  var networkUpdate: Spec.NetworkUpdateParameters? {
    switch type {
    case .neuralNetwork(let network)?: network.updateParams
    case .neuralNetworkClassifier(let network)?: network.updateParams
    case .neuralNetworkRegressor(let network)?: network.updateParams
    default: nil
    }
  }

  /// Changes the layers of a neural network.
  mutating func changeLayers(
    _ change: (inout [Spec.NeuralNetworkLayer]) throws -> Void
  ) rethrows {
    switch type {
    case .neuralNetwork(var network)?:
      try change(&network.layers)
      type = .neuralNetwork(network)
    case .neuralNetworkClassifier(var network)?:
      try change(&network.layers)
      type = .neuralNetworkClassifier(network)
    case .neuralNetworkRegressor(var network)?:
      try change(&network.layers)
      type = .neuralNetworkRegressor(network)
    default: break
    }
  }
}
