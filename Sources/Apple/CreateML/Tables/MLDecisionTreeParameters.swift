/// The settings of the training of a decision tree.
public struct MLDecisionTreeParameters: Sendable {
  /// The rows that the training does not use.
  public typealias ValidationData = MLTableValidation

  /// The rows that the training does not use.
  public var validation: ValidationData
  /// The greatest number of splits between the root and a leaf of a tree, 1 to 64.
  public var maxDepth: Int
  /// The reduction of the loss that a split needs.
  public var minLossReduction: Double
  /// The sum of second derivatives that each child of a split needs. For random forests and decision trees, and for
  /// the squared error, this is the number of rows.
  public var minChildWeight: Double

  /// Makes parameters. See the properties.
  public init(
    validation: ValidationData = .split(strategy: .automatic), maxDepth: Int = 6,
    minLossReduction: Double = 0, minChildWeight: Double = 0.1
  ) {
    self.validation = validation
    self.maxDepth = maxDepth
    self.minLossReduction = minLossReduction
    self.minChildWeight = minChildWeight
  }
}
