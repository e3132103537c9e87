/// What a model should be prepared for.
public struct MLOptimizationHints: Sendable, Hashable {
  /// How often the shapes of a model's inputs change.
  public enum ReshapeFrequency: Int, Sendable, Hashable {
    /// With every prediction.
    case frequent = 0
    /// Seldom.
    case infrequent = 1
  }

  /// Whether loading or predicting should be fast.
  public enum SpecializationStrategy: Int, Sendable, Hashable {
    /// A balance of both.
    case `default` = 0
    /// Predicting, at the cost of loading.
    case fastPrediction = 1
  }

  /// How often the shapes of a model's inputs change. Plans are cached by shape either way.
  public var reshapeFrequency: ReshapeFrequency = .infrequent

  /// Whether loading or predicting should be fast.
  public var specializationStrategy: SpecializationStrategy = .default

  /// Makes the default hints.
  public init() {}
}
