import ClassicalModels
import Foundation
import ModelFormat

/// The classes that a classifier tells apart.
enum ClassLabels: Sendable, Equatable {
  case strings([String])
  case integers([Int64])

  var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }

  /// The label at an index as a value of the predicted feature.
  func featureValue(at index: Int) -> MLFeatureValue {
    switch self {
    case .strings(let labels): MLFeatureValue(string: labels[index])
    case .integers(let labels): MLFeatureValue(int64: labels[index])
    }
  }

  /// The labels of a model of any kind that has some; of a pipeline, those of its last model
  /// that has some.
  static func labels(of model: Spec.Model) -> ClassLabels? {
    switch model.type {
    case .neuralNetworkClassifier(let classifier):
      switch classifier.classLabels {
      case .stringClassLabels(let labels)?: return .strings(labels.vector)
      case .int64ClassLabels(let labels)?: return .integers(labels.vector)
      case nil: return nil
      }
    case .glmClassifier(let classifier):
      switch classifier.classLabels {
      case .stringClassLabels(let labels)?: return .strings(labels.vector)
      case .int64ClassLabels(let labels)?: return .integers(labels.vector)
      case nil: return nil
      }
    case .treeEnsembleClassifier(let classifier):
      switch classifier.classLabels {
      case .stringClassLabels(let labels)?: return .strings(labels.vector)
      case .int64ClassLabels(let labels)?: return .integers(labels.vector)
      case nil: return nil
      }
    case .supportVectorClassifier(let classifier):
      switch classifier.classLabels {
      case .stringClassLabels(let labels)?: return .strings(labels.vector)
      case .int64ClassLabels(let labels)?: return .integers(labels.vector)
      case nil: return nil
      }
    case .nonMaximumSuppression(let suppression):
      switch suppression.classLabels {
      case .stringClassLabels(let labels)?: return .strings(labels.vector)
      case .int64ClassLabels(let labels)?: return .integers(labels.vector)
      case nil: return nil
      }
    case .kNearestNeighborsClassifier(let classifier):
      return labels(of: classifier)
    case .pipelineClassifier(let pipeline):
      let models: [Spec.Model] = pipeline.pipeline?.models ?? []
      for model in models.reversed() {
        if let labels = labels(of: model) { return labels }
      }
      return nil
    default:
      return nil
    }
  }

  /// The different labels of the examples; without examples, the default one.
  private static func labels(of classifier: Spec.KNearestNeighborsClassifier) -> ClassLabels? {
    switch NearestNeighbors.labels(of: classifier) {
    case .strings(let labels)?: .strings(labels)
    case .integers(let labels)?: .integers(labels)
    case nil: nil
    }
  }
}
