/// The settings of the training of boosted trees.
public struct MLBoostedTreeParameters: Sendable {
  /// The rows that the training does not use.
  public typealias ValidationData = MLTableValidation

  /// The rows that the training does not use.
  public var validation: ValidationData
  /// The greatest number of splits between the root and a leaf of a tree, 1 to 64.
  public var maxDepth: Int
  /// The number of iterations. Each adds one tree, or one for each class if there are more than two.
  public var maxIterations: Int
  /// The reduction of the loss that a split needs.
  public var minLossReduction: Double
  /// The sum of second derivatives that each child of a split needs. For random forests and decision trees, and for
  /// the squared error, this is the number of rows.
  public var minChildWeight: Double
  /// The seed of the random choices.
  public var randomSeed: Int
  /// The factor of each new tree, above 0 and at most 1. Smaller factors need more iterations.
  public var stepSize: Double
  /// Ends the training when the loss on the validation rows has not fallen for this many iterations. Nil: never.
  public var earlyStoppingRounds: Int?
  /// The fraction of the rows that each tree uses.
  public var rowSubsample: Double
  /// The fraction of the features that each tree uses.
  public var columnSubsample: Double

  /// Makes parameters. See the properties.
  public init(
    validation: ValidationData = .split(strategy: .automatic), maxDepth: Int = 6,
    maxIterations: Int = 10, minLossReduction: Double = 0, minChildWeight: Double = 0.1,
    randomSeed: Int = 42, stepSize: Double = 0.3, earlyStoppingRounds: Int? = nil,
    rowSubsample: Double = 1.0, columnSubsample: Double = 1.0
  ) {
    self.validation = validation
    self.maxDepth = maxDepth
    self.maxIterations = maxIterations
    self.minLossReduction = minLossReduction
    self.minChildWeight = minChildWeight
    self.randomSeed = randomSeed
    self.stepSize = stepSize
    self.earlyStoppingRounds = earlyStoppingRounds
    self.rowSubsample = rowSubsample
    self.columnSubsample = columnSubsample
  }
}
