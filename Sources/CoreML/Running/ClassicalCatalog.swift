import ClassicalModels
import ModelFormat

/// The runner for a model of a classical type; nil for other types.
func makeClassicalRunner(
  for model: Spec.Model, description: MLModelDescription
) throws -> (any ModelRunner)? {
  switch model.type {
  case .glmRegressor(let message)?:
    let regressor = try LinearRegressor(message)
    return try ClassicalRegressorRunner(description) { try regressor.predict($0) }
  case .glmClassifier(let message)?:
    let labels: ClassLabels = try ClassicalClassifierRunner.labels(of: description)
    let classifier = try LinearClassifier(message, classCount: labels.count)
    return try ClassicalClassifierRunner(description, labels: labels) {
      try classifier.predict($0)
    }
  default:
    return nil
  }
}
