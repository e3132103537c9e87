import Foundation

extension MLImageClassifier {
  /// How a classifier is trained.
  public struct ModelParameters: Sendable {
    /// Photos that the training does not see, for judging what it came to.
    public enum ValidationData: Sendable {
      /// A part of the training's photos, which is taken away from them.
      case split(strategy: MLSplitStrategy)
      /// Other photos.
      case dataSource(DataSource)
      /// None.
      case none
    }

    /// What sees the photos.
    public enum FeatureExtractorType: Sendable, Hashable {
      /// The network of Vision's feature prints: SqueezeNet here, whatever the revision.
      case scenePrint(revision: Int?)
    }

    /// What gives the labels.
    public enum ClassifierType: Sendable, Hashable {
      /// A layer of weights.
      case logisticRegressor
      /// The nearest examples vote. Not in Apple's framework.
      case nearestNeighbors(count: Int)
    }

    /// The method.
    public enum ModelAlgorithmType: Sendable, Hashable {
      /// A network that has seen other photos, and a classifier of what it sees.
      case transferLearning(
        featureExtractor: FeatureExtractorType = .scenePrint(revision: nil),
        classifier: ClassifierType = .logisticRegressor)
    }

    /// Photos for judging.
    public var validation: ValidationData
    /// The most steps of the classifier's search.
    public var maxIterations: Int
    /// The method.
    public var algorithm: ModelAlgorithmType

    /// Parameters.
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
