import Foundation

extension MLImageClassifier {
  /// The parameters of a classifier's training.
  public struct ModelParameters: Sendable {
    /// The photos for validation. The training does not use these photos.
    public enum ValidationData: Sendable {
      /// A part of the training photos.
      case split(strategy: MLSplitStrategy)
      /// Photos from a separate source.
      case dataSource(DataSource)
      /// No photos.
      case none
    }

    /// The network that computes features of photos.
    public enum FeatureExtractorType: Sendable, Hashable {
      /// The network of Vision's feature prints. Here, the network is SqueezeNet for every revision.
      case scenePrint(revision: Int?)
    }

    /// The kind of classifier that gets the features.
    public enum ClassifierType: Sendable, Hashable {
      /// Logistic regression.
      case logisticRegressor
      /// A vote of the `count` nearest training examples. Not in Apple's framework.
      case nearestNeighbors(count: Int)
    }

    /// The algorithm of a classifier.
    public enum ModelAlgorithmType: Sendable, Hashable {
      /// Transfer learning: a network that was trained with other photos computes the features of a photo, and a newly
      /// trained classifier classifies these features.
      case transferLearning(
        featureExtractor: FeatureExtractorType = .scenePrint(revision: nil),
        classifier: ClassifierType = .logisticRegressor)
    }

    /// The photos for validation.
    public var validation: ValidationData
    /// The maximum number of iterations of the classifier's training.
    public var maxIterations: Int
    /// The algorithm.
    public var algorithm: ModelAlgorithmType

    /// Makes parameters.
    public init(
      validation: ValidationData = .split(strategy: .automatic), maxIterations: Int = 100,
      algorithm: ModelAlgorithmType = .transferLearning()
    ) {
      self.validation = validation
      self.maxIterations = maxIterations
      self.algorithm = algorithm
    }

    var classifier: ClassifierType {
      switch algorithm {
      case .transferLearning(_, let classifier): classifier
      }
    }
  }
}
