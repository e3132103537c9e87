import ClassicalModels
import Foundation
import ModelFormat

/// The classes of a classifier.
enum ClassLabels: Sendable, Equatable {
  case strings([String])
  case integers([Int64])

  var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }

  /// Returns the label of the class with an index, as a value of the predicted feature.
  func featureValue(at index: Int) -> MLFeatureValue {
    switch self {
    case .strings(let labels): MLFeatureValue(string: labels[index])
    case .integers(let labels): MLFeatureValue(int64: labels[index])
    }
  }

  /// Returns the labels of a model, or nil for a model without labels. For a classifier pipeline, returns the labels of
  /// the last submodel that has labels. For a detector, returns the labels of its non-maximum suppression.
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
    case .pipeline(let pipeline):
      // A detector is a pipeline that ends in non-maximum suppression.
      guard let last = pipeline.models.last, DetectorDescription(last) != nil else { return nil }
      return labels(of: last)
    default:
      return nil
    }
  }

  /// Returns the distinct labels of the classifier's examples. If the classifier has no examples, returns its default
  /// label.
  private static func labels(of classifier: Spec.KNearestNeighborsClassifier) -> ClassLabels? {
    switch NearestNeighbors.labels(of: classifier) {
    case .strings(let labels)?: .strings(labels)
    case .integers(let labels)?: .integers(labels)
    case nil: nil
    }
  }
}
