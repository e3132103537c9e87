import ModelFormat

extension MLParameterDescription {
  /// Reads the descriptions of the parameters of a model's training, by key. Returns an empty dictionary for a model
  /// that is not updatable.
  static func all(of model: Spec.Model) -> [MLParameterKey: MLParameterDescription] {
    var list: [MLParameterDescription] = []
    collect(from: model, into: &list)
    var byKey: [MLParameterKey: MLParameterDescription] = [:]
    for parameter in list { byKey[parameter.key] = parameter }
    return byKey
  }

  private static func collect(from model: Spec.Model, into list: inout [MLParameterDescription]) {
    switch model.type {
    case .neuralNetwork(let network): collect(from: network.updateParams, into: &list)
    case .neuralNetworkClassifier(let network): collect(from: network.updateParams, into: &list)
    case .neuralNetworkRegressor(let network): collect(from: network.updateParams, into: &list)
    case .kNearestNeighborsClassifier(let classifier):
      add(classifier.numberOfNeighbors, .numberOfNeighbors, to: &list)
    case .pipeline(let pipeline):
      for model in pipeline.models { collect(from: model, into: &list) }
    case .pipelineClassifier(let pipeline):
      for model in pipeline.pipeline?.models ?? [] { collect(from: model, into: &list) }
    case .pipelineRegressor(let pipeline):
      for model in pipeline.pipeline?.models ?? [] { collect(from: model, into: &list) }
    default: break
    }
  }

  private static func collect(
    from update: Spec.NetworkUpdateParameters?, into list: inout [MLParameterDescription]
  ) {
    guard let update else { return }
    add(update.epochs, .epochs, to: &list)
    add(update.seed, .seed, to: &list)
    if let shuffle = update.shuffle {
      list.append(
        MLParameterDescription(
          key: .shuffle, value: .flag(shuffle.defaultValue), numericConstraint: nil))
    }
    switch update.optimizer?.optimizerType {
    case .sgdOptimizer(let sgd)?:
      add(sgd.learningRate, .learningRate, to: &list)
      add(sgd.miniBatchSize, .miniBatchSize, to: &list)
      add(sgd.momentum, .momentum, to: &list)
    case .adamOptimizer(let adam)?:
      add(adam.learningRate, .learningRate, to: &list)
      add(adam.miniBatchSize, .miniBatchSize, to: &list)
      add(adam.beta1, .beta1, to: &list)
      add(adam.beta2, .beta2, to: &list)
      add(adam.eps, .eps, to: &list)
    case nil: break
    }
  }

  private static func add(
    _ parameter: Spec.Int64Parameter?, _ key: MLParameterKey,
    to list: inout [MLParameterDescription]
  ) {
    guard let parameter else { return }
    let constraint: MLNumericConstraint
    switch parameter.allowedValues {
    case .range(let range)?:
      constraint = MLNumericConstraint(
        lowest: Double(range.minValue), highest: Double(range.maxValue))
    case .set(let set)?:
      let values: [Double] = set.values.map { Double($0) }
      constraint = MLNumericConstraint(
        lowest: values.min() ?? 0, highest: values.max() ?? 0, allowed: values)
    case nil:
      constraint = MLNumericConstraint(lowest: -.infinity, highest: .infinity)
    }
    list.append(
      MLParameterDescription(
        key: key, value: .integer(parameter.defaultValue), numericConstraint: constraint))
  }

  private static func add(
    _ parameter: Spec.DoubleParameter?, _ key: MLParameterKey,
    to list: inout [MLParameterDescription]
  ) {
    guard let parameter else { return }
    let constraint: MLNumericConstraint
    switch parameter.allowedValues {
    case .range(let range)?:
      constraint = MLNumericConstraint(lowest: range.minValue, highest: range.maxValue)
    case nil:
      constraint = MLNumericConstraint(lowest: -.infinity, highest: .infinity)
    }
    list.append(
      MLParameterDescription(
        key: key, value: .number(parameter.defaultValue), numericConstraint: constraint))
  }
}
