/// The settings of the training of a random forest.
public struct MLRandomForestParameters: Sendable {
  /// The rows that the training does not use.
  public typealias ValidationData = MLTableValidation

  /// The rows that the training does not use.
  public var validation: ValidationData
  /// The greatest number of splits between the root and a leaf of a tree, 1 to 64.
  public var maxDepth: Int
  /// The number of trees.
  public var maxIterations: Int
  /// The reduction of the loss that a split needs.
  public var minLossReduction: Double
  /// The sum of second derivatives that each child of a split needs. For random forests and decision trees, and for
  /// the squared error, this is the number of rows.
  public var minChildWeight: Double
  /// The seed of the random choices.
  public var randomSeed: Int
  /// The fraction of the rows that each tree uses.
  public var rowSubsample: Double
  /// The fraction of the features that each split chooses from.
  public var columnSubsample: Double

  /// Makes parameters. See the properties.
  public init(
    validation: ValidationData = .split(strategy: .automatic), maxDepth: Int = 6,
    maxIterations: Int = 10, minLossReduction: Double = 0, minChildWeight: Double = 0.1,
    randomSeed: Int = 42, rowSubsample: Double = 0.8, columnSubsample: Double = 0.8
  ) {
    self.validation = validation
    self.maxDepth = maxDepth
    self.maxIterations = maxIterations
    self.minLossReduction = minLossReduction
    self.minChildWeight = minChildWeight
    self.randomSeed = randomSeed
    self.rowSubsample = rowSubsample
    self.columnSubsample = columnSubsample
  }
}
