import ModelFormat

extension Spec.Model {
  /// The models of a pipeline in the order in which they run, with their names or numbers. Nil for a model of another
  /// type.
  var stages: [(name: String, model: Spec.Model)]? {
    let pipeline: Spec.Pipeline?
    switch type {
    case .pipeline(let value)?: pipeline = value
    case .pipelineClassifier(let value)?: pipeline = value.pipeline
    case .pipelineRegressor(let value)?: pipeline = value.pipeline
    default: return nil
    }
    guard let pipeline else { return [] }
    return pipeline.models.enumerated().map { index, model in
      let name: String = index < pipeline.names.count ? pipeline.names[index] : ""
      return (name.isEmpty ? "stage \(index + 1)" : name, model)
    }
  }
}
