/// Hints about how a model will be used.
public struct MLOptimizationHints: Sendable, Hashable {
  /// How often the shapes of a model's inputs change.
  public enum ReshapeFrequency: Int, Sendable, Hashable {
    /// The shapes change with every prediction.
    case frequent = 0
    /// The shapes rarely change.
    case infrequent = 1
  }

  /// The preference between fast loading and fast predictions.
  public enum SpecializationStrategy: Int, Sendable, Hashable {
    /// A balance between loading and predicting.
    case `default` = 0
    /// Fast predictions. Loading may take longer.
    case fastPrediction = 1
  }

  /// How often the shapes of a model's inputs change. Has no effect, because the engine always caches plans by shape.
  public var reshapeFrequency: ReshapeFrequency = .infrequent

  /// The preference between fast loading and fast predictions. Has no effect.
  public var specializationStrategy: SpecializationStrategy = .default

  /// Makes the default hints.
  public init() {}
}
