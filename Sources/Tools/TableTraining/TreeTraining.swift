import Dispatch
import Foundation
import Platform
import Tensors

/// Trains boosted trees, random forests and decision trees.
public enum TreeTraining {
  /// What the trees learn.
  public enum Target: Sendable {
    /// A number for each row.
    case numbers([Double])
    /// A class for each row, from 0 to `count` − 1.
    case classes([Int], count: Int)

    var rowCount: Int {
      switch self {
      case .numbers(let numbers): numbers.count
      case .classes(let classes, _): classes.count
      }
    }
  }

  /// The settings of boosting.
  public struct Boosting: Sendable {
    /// The greatest number of splits between the root and a leaf of a tree.
    public var maxDepth: Int
    /// The number of iterations. Each iteration adds one tree, or one for each class if there are more than two.
    public var maxIterations: Int
    /// The reduction of the loss that a split needs.
    public var minLossReduction: Double
    /// The sum of the rows' second derivatives that each child of a split needs.
    public var minChildWeight: Double
    /// The seed of the random choices.
    public var randomSeed: Int
    /// The factor of each new tree's values.
    public var stepSize: Double
    /// Ends the training when the loss on the validation rows has not fallen for this many iterations. Nil: never.
    public var earlyStoppingRounds: Int?
    /// The fraction of the rows that each iteration uses.
    public var rowSubsample: Double
    /// The fraction of the features that each tree uses.
    public var columnSubsample: Double

    /// Makes settings. See the properties.
    public init(
      maxDepth: Int, maxIterations: Int, minLossReduction: Double, minChildWeight: Double,
      randomSeed: Int, stepSize: Double, earlyStoppingRounds: Int?, rowSubsample: Double,
      columnSubsample: Double
    ) {
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

  /// The settings of a forest.
  public struct Forest: Sendable {
    /// The greatest number of splits between the root and a leaf of a tree.
    public var maxDepth: Int
    /// The number of trees.
    public var maxIterations: Int
    /// The reduction of the loss that a split needs.
    public var minLossReduction: Double
    /// The number of rows that each child of a split needs.
    public var minChildWeight: Double
    /// The seed of the random choices.
    public var randomSeed: Int
    /// The fraction of the rows that each tree uses.
    public var rowSubsample: Double
    /// The fraction of the features that each split chooses from.
    public var columnSubsample: Double

    /// Makes settings. See the properties.
    public init(
      maxDepth: Int, maxIterations: Int, minLossReduction: Double, minChildWeight: Double,
      randomSeed: Int, rowSubsample: Double, columnSubsample: Double
    ) {
      self.maxDepth = maxDepth
      self.maxIterations = maxIterations
      self.minLossReduction = minLossReduction
      self.minChildWeight = minChildWeight
      self.randomSeed = randomSeed
      self.rowSubsample = rowSubsample
      self.columnSubsample = columnSubsample
    }
  }

  /// Rows that the training does not use, and their target.
  public struct Validation: Sendable {
    let columns: [[Double]]
    let target: Target

    /// Makes validation rows. `columns` is `[feature][row]`.
    public init(columns: [[Double]], target: Target) {
      self.columns = columns
      self.target = target
    }
  }

  /// The regularisation λ of boosted trees: XGBoost's default.
  private static let boostingRegularization: Double = 1
  /// The least probability that a loss takes the logarithm of.
  private static let leastProbability: Double = 1e-15

  /// Trains boosted trees: each tree corrects the errors of those before it.
  ///
  /// **Source:** Friedman, “Greedy Function Approximation: A Gradient Boosting Machine” (2001); Chen and Guestrin,
  /// “XGBoost” (2016).
  ///
  /// - Parameters:
  ///   - columns: The features: `[feature][row]`. NaN stands for a missing value.
  ///   - progress: Receives the number of iterations so far. The training ends after the iteration if it returns false.
  /// - Throws: ``TableTrainingError`` if a setting is out of range.
  public static func boosted(
    _ columns: [[Double]], _ target: Target, _ settings: Boosting, validation: Validation? = nil,
    progress: (_ iteration: Int) -> Bool = { _ in true }
  ) throws -> TreeScores {
    try check(
      depth: settings.maxDepth, iterations: settings.maxIterations, rows: settings.rowSubsample,
      columns: settings.columnSubsample)
    guard settings.stepSize > 0, settings.stepSize <= 1 else {
      throw TableTrainingError(
        "The step size is \(settings.stepSize), expected above 0, at most 1.")
    }
    let scoreCount: Int
    let base: [Double]
    switch target {
    case .numbers(let numbers):
      scoreCount = 1
      base = [numbers.reduce(0, +) / Double(numbers.count)]
    case .classes(_, let count):
      scoreCount = count == 2 ? 1 : count
      base = [Double](repeating: 0, count: scoreCount)
    }
    var model = TreeScores(terms: [], base: base, meaning: meaning(of: target))
    let grower = TreeGrower(
      bins: FeatureBins(columns),
      settings: TreeGrower.Settings(
        maxDepth: settings.maxDepth, minLossReduction: settings.minLossReduction,
        minChildWeight: settings.minChildWeight, regularization: boostingRegularization))
    let rowCount: Int = target.rowCount
    var scores: [Double] = Array(repeatElement(base, count: rowCount).joined())
    var checked: [Double] =
      validation.map { Array(repeatElement(base, count: $0.target.rowCount).joined()) } ?? []
    var best = (loss: Double.infinity, iteration: 0)
    var generator = SplitMix64(seed: UInt64(bitPattern: Int64(settings.randomSeed)))
    for iteration in 1...settings.maxIterations {
      let rows: [Int] = sample(rowCount, settings.rowSubsample, &generator)
      let slopes: [TreeGrower.Slopes] = self.slopes(of: target, scores, scoreCount)
      for score in 0..<scoreCount {
        let features: [Int] = sample(columns.count, settings.columnSubsample, &generator)
        var tree: DecisionTree = grower.tree(
          rows: rows, features: features, slopes[score], generator: &generator)
        tree.scale(by: settings.stepSize)
        tree.add(
          columns, rows: rowCount, to: &scores, scoreCount: scoreCount, firstScore: score)
        if let validation {
          tree.add(
            validation.columns, rows: validation.target.rowCount, to: &checked,
            scoreCount: scoreCount, firstScore: score)
        }
        model.terms.append(TreeScores.Term(tree: tree, firstScore: score))
      }
      if let validation, let rounds = settings.earlyStoppingRounds {
        let loss: Double = self.loss(of: validation.target, checked, scoreCount)
        if loss < best.loss { best = (loss, iteration) }
        if iteration - best.iteration >= rounds { break }
      }
      guard progress(iteration) else { return model }
    }
    if settings.earlyStoppingRounds != nil, best.iteration > 0 {
      model.terms.removeLast(model.terms.count - best.iteration * scoreCount)
    }
    return model
  }

  /// Trains a random forest: the mean of trees that each see other rows, and other features at each split.
  ///
  /// **Source:** Breiman, “Random Forests” (2001). Rows are drawn without replacement.
  ///
  /// - Parameter columns: The features: `[feature][row]`. NaN stands for a missing value.
  /// - Throws: ``TableTrainingError`` if a setting is out of range.
  public static func forest(
    _ columns: [[Double]], _ target: Target, _ settings: Forest
  ) throws -> TreeScores {
    try check(
      depth: settings.maxDepth, iterations: settings.maxIterations, rows: settings.rowSubsample,
      columns: settings.columnSubsample)
    let rowCount: Int = target.rowCount
    let slopes: TreeGrower.Slopes = means(of: target)
    let grower = TreeGrower(
      bins: FeatureBins(columns),
      settings: TreeGrower.Settings(
        maxDepth: settings.maxDepth, minLossReduction: settings.minLossReduction,
        minChildWeight: settings.minChildWeight, regularization: 0,
        featuresPerSplit: settings.columnSubsample))
    let trees = Locked([DecisionTree?](repeating: nil, count: settings.maxIterations))
    DispatchQueue.concurrentPerform(iterations: settings.maxIterations) { number in
      // Each tree has a generator of its own, so that the forest does not depend on the order of the threads.
      var generator = SplitMix64(
        seed: SplitMix64.bits(number, seed: UInt64(bitPattern: Int64(settings.randomSeed))))
      var tree: DecisionTree = grower.tree(
        rows: sample(rowCount, settings.rowSubsample, &generator),
        features: Array(columns.indices), slopes, generator: &generator)
      tree.scale(by: 1 / Double(settings.maxIterations))
      trees.withLock { [tree] in $0[number] = tree }
    }
    return TreeScores(
      terms: trees.withLock { $0 }.compactMap { $0 }.map {
        TreeScores.Term(tree: $0, firstScore: 0)
      },
      base: [Double](repeating: 0, count: slopes.scoreCount),
      meaning: isNumber(target) ? .number : .probabilities)
  }

  /// Trains one tree with all rows and features.
  ///
  /// - Throws: ``TableTrainingError`` if a setting is out of range.
  public static func tree(
    _ columns: [[Double]], _ target: Target, maxDepth: Int, minLossReduction: Double,
    minChildWeight: Double
  ) throws -> TreeScores {
    try forest(
      columns, target,
      Forest(
        maxDepth: maxDepth, maxIterations: 1, minLossReduction: minLossReduction,
        minChildWeight: minChildWeight, randomSeed: 0, rowSubsample: 1, columnSubsample: 1))
  }

  private static func check(depth: Int, iterations: Int, rows: Double, columns: Double) throws {
    guard (1...64).contains(depth) else {
      throw TableTrainingError("The depth of the trees is \(depth), expected 1 to 64.")
    }
    guard (1...100_000).contains(iterations) else {
      throw TableTrainingError("The number of iterations is \(iterations), expected 1 to 100000.")
    }
    for (name, fraction) in [("rows", rows), ("columns", columns)]
    where !(fraction > 0 && fraction <= 1) {
      throw TableTrainingError(
        "The fraction of the \(name) is \(fraction), expected above 0 and at most 1.")
    }
  }

  private static func isNumber(_ target: Target) -> Bool {
    if case .numbers = target { return true }
    return false
  }

  private static func meaning(of target: Target) -> TreeScores.Meaning {
    isNumber(target) ? .number : .logOdds
  }

  /// Draws a fraction of the numbers from 0 to `count` − 1, at least one, in ascending order.
  private static func sample(
    _ count: Int, _ fraction: Double, _ generator: inout SplitMix64
  ) -> [Int] {
    guard fraction < 1 else { return Array(0..<count) }
    let drawn: Int = max(1, Int((fraction * Double(count)).rounded()))
    return (0..<count).shuffled(using: &generator)[..<drawn].sorted()
  }

  /// Slopes for which leaves are means of the target, or the fractions of the classes.
  private static func means(of target: Target) -> TreeGrower.Slopes {
    switch target {
    case .numbers(let numbers):
      return TreeGrower.Slopes(
        scoreCount: 1, gradients: numbers.map { -$0 },
        curvatures: [Double](repeating: 1, count: numbers.count))
    case .classes(let classes, let count):
      var gradients = [Double](repeating: 0, count: classes.count * count)
      for (row, number) in classes.enumerated() { gradients[row * count + number] = -1 }
      return TreeGrower.Slopes(
        scoreCount: count, gradients: gradients,
        curvatures: [Double](repeating: 1, count: classes.count))
    }
  }

  /// The first and second derivatives of the loss by each score. The loss of numbers is half the squared error; the
  /// loss of classes is the negative logarithm of the true class's probability.
  private static func slopes(
    of target: Target, _ scores: [Double], _ scoreCount: Int
  ) -> [TreeGrower.Slopes] {
    func slopes(_ pairs: [(Double, Double)]) -> TreeGrower.Slopes {
      TreeGrower.Slopes(
        scoreCount: 1, gradients: pairs.map(\.0), curvatures: pairs.map(\.1))
    }
    switch target {
    case .numbers(let numbers):
      return [slopes(zip(scores, numbers).map { ($0 - $1, 1) })]
    case .classes(let classes, _) where scoreCount == 1:
      return [
        slopes(
          zip(scores, classes).map { score, number in
            let share: Double = 1 / (1 + exp(-score))
            return (share - Double(number), max(share * (1 - share), leastProbability))
          })
      ]
    case .classes(let classes, _):
      let shares: [[Double]] = classes.indices.map { row in
        softmax(scores[(row * scoreCount)..<((row + 1) * scoreCount)])
      }
      return (0..<scoreCount).map { score in
        slopes(
          zip(shares, classes).map { shares, number in
            let share: Double = shares[score]
            // XGBoost doubles the second derivative, which makes the steps of several classes cautious.
            return (
              share - (number == score ? 1 : 0), max(2 * share * (1 - share), leastProbability)
            )
          })
      }
    }
  }

  /// The mean loss of rows.
  private static func loss(of target: Target, _ scores: [Double], _ scoreCount: Int) -> Double {
    let losses: [Double]
    switch target {
    case .numbers(let numbers): losses = zip(scores, numbers).map { ($0 - $1) * ($0 - $1) / 2 }
    case .classes(let classes, _) where scoreCount == 1:
      losses = zip(scores, classes).map { score, number in
        -log(max(1 / (1 + exp(number == 1 ? -score : score)), leastProbability))
      }
    case .classes(let classes, _):
      losses = classes.enumerated().map { row, number in
        let shares = softmax(scores[(row * scoreCount)..<((row + 1) * scoreCount)])
        return -log(max(shares[number], leastProbability))
      }
    }
    return losses.reduce(0, +) / Double(max(losses.count, 1))
  }

  private static func softmax(_ scores: ArraySlice<Double>) -> [Double] {
    let greatest: Double = scores.max() ?? 0
    let powers: [Double] = scores.map { exp($0 - greatest) }
    let sum: Double = powers.reduce(0, +)
    return powers.map { $0 / sum }
  }
}
