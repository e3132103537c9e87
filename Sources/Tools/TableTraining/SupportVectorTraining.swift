/// Trains linear support vector classifiers, which compare classes in pairs.
///
/// For each pair of classes, the training minimises
///
///     ½ Σ w²  +  C · Σ max(0, 1 − y · (w·x + b))
///
/// over the rows of both classes, where y is 1 for the first class and −1 for the second. Sequential minimal optimisation
/// changes two of the dual problem's coefficients at a time. scikit-learn's `SVC(kernel="linear")` solves the same problem.
///
/// **Source:** Fan, Chen, Lin, “Working Set Selection Using Second Order Information for Training Support Vector
/// Machines” (2005).
public enum SupportVectorTraining {
  /// The settings of the training.
  public struct Parameters: Sendable {
    /// The factor C of the loss.
    public let penalty: Double
    /// The violation of the optimality conditions at which the training of a pair ends.
    public let tolerance: Double
    /// The greatest number of steps of a pair, for each of its rows.
    public let maxIterations: Int
    /// Whether features are divided by their standard deviation before the training.
    public let rescaling: Bool

    /// Makes settings. See the properties.
    public init(penalty: Double, tolerance: Double, maxIterations: Int, rescaling: Bool) {
      self.penalty = penalty
      self.tolerance = tolerance
      self.maxIterations = maxIterations
      self.rescaling = rescaling
    }
  }

  /// A trained classifier. The decision of classes i and j, with i < j, is for class i if
  ///
  ///     Σ coefficients[j − 1][v] · (vector v · x)  +  Σ coefficients[i][v] · (vector v · x)  −  offsets[pair]
  ///
  /// is more than 0. The first sum is over the vectors of class i, the second over those of class j. The pairs are
  /// (0, 1), (0, 2) … (1, 2) …
  public struct Solution: Sendable {
    /// The support vectors, in the order of their classes.
    public let vectors: [[Double]]
    /// The number of support vectors of each class.
    public let counts: [Int]
    /// The coefficients: `[class − 1][support vector]`.
    public let coefficients: [[Double]]
    /// The number that each pair's sum is compared with.
    public let offsets: [Double]
  }

  /// Trains a classifier.
  ///
  /// - Parameters:
  ///   - columns: The features: `[feature][row]`.
  ///   - classes: The class of each row.
  /// - Throws: ``TableTrainingError`` if a value is missing, if a class has no rows, or if a setting is out of range.
  public static func classifier(
    _ columns: [[Double]], _ classes: [Int], classCount: Int, _ parameters: Parameters
  ) throws -> Solution {
    guard parameters.penalty > 0, parameters.penalty.isFinite else {
      throw TableTrainingError("The penalty is \(parameters.penalty), expected more than 0.")
    }
    guard parameters.tolerance > 0, parameters.maxIterations > 0 else {
      throw TableTrainingError(
        "The convergence threshold is \(parameters.tolerance) and the number of iterations is"
          + " \(parameters.maxIterations), expected more than 0.")
    }
    try LinearTraining.requireNumbers(columns)
    let members: [[Int]] = (0..<classCount).map { number in
      classes.indices.filter { classes[$0] == number }
    }
    guard classCount > 1, members.allSatisfy({ !$0.isEmpty }) else {
      throw TableTrainingError(
        "The training rows have \(members.count { !$0.isEmpty }) of \(classCount) classes, expected"
          + " two or more classes with at least one row each.")
    }
    let means: [Double] = columns.map { $0.reduce(0, +) / Double($0.count) }
    let scales: [Double] = columns.map { parameters.rescaling ? LinearTraining.deviation($0) : 1 }
    let rows: [[Double]] = classes.indices.map { row in
      columns.indices.map { (columns[$0][row] - means[$0]) / scales[$0] }
    }
    var weights = [[Double]](
      repeating: [Double](repeating: 0, count: rows.count), count: classCount - 1)
    var offsets: [Double] = []
    for first in 0..<classCount {
      for second in (first + 1)..<max(classCount, first + 1) {
        let chosen: [Int] = members[first] + members[second]
        var pair = SupportVectorPair(
          chosen.map { rows[$0] }, positive: members[first].count, penalty: parameters.penalty)
        let (steps, overflows) = parameters.maxIterations.multipliedReportingOverflow(
          by: chosen.count)
        pair.solve(tolerance: parameters.tolerance, mostSteps: overflows ? .max : steps)
        for (position, row) in chosen.enumerated() {
          let isFirst: Bool = position < members[first].count
          weights[isFirst ? second - 1 : first][row] = pair.coefficients[position]
        }
        offsets.append(pair.offset)
      }
    }
    return solution(
      rows, members, weights, offsets, scales: scales, means: means)
  }

  /// Keeps the rows that have a coefficient, and converts vectors and offsets to features without scaling.
  private static func solution(
    _ rows: [[Double]], _ members: [[Int]], _ weights: [[Double]], _ offsets: [Double],
    scales: [Double], means: [Double]
  ) -> Solution {
    let kept: [[Int]] = members.map { rows in
      rows.filter { row in weights.contains { $0[row] != 0 } }
    }
    let order: [Int] = kept.flatMap { $0 }
    let vectors: [[Double]] = order.map { row in zip(rows[row], scales).map { $0 / $1 } }
    // With x' = (x − mean) / scale, the product with a vector is the product of the scaled vector with x, minus this.
    let shifts: [Double] = vectors.map { vector in
      zip(vector, means).reduce(0) { $0 + $1.0 * $1.1 }
    }
    let coefficients: [[Double]] = weights.map { weights in order.map { weights[$0] } }
    let counts: [Int] = kept.map(\.count)
    let starts: [Int] = counts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
    var shifted: [Double] = []
    for first in counts.indices {
      for second in (first + 1)..<max(counts.count, first + 1) {
        var offset: Double = offsets[shifted.count]
        for position in starts[first]..<starts[first + 1] {
          offset += coefficients[second - 1][position] * shifts[position]
        }
        for position in starts[second]..<starts[second + 1] {
          offset += coefficients[first][position] * shifts[position]
        }
        shifted.append(offset)
      }
    }
    return Solution(
      vectors: vectors, counts: counts, coefficients: coefficients, offsets: shifted)
  }
}

extension SupportVectorTraining.Solution {
  /// Returns the class with the most votes of the pairs; the first of several.
  func decision(_ values: [Double]) -> Int {
    let products: [Double] = vectors.map { vector in
      zip(vector, values).reduce(0) { $0 + $1.0 * $1.1 }
    }
    let starts: [Int] = counts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
    var votes = [Int](repeating: 0, count: counts.count)
    var pair = 0
    for first in counts.indices {
      for second in (first + 1)..<max(counts.count, first + 1) {
        var sum: Double = -offsets[pair]
        for position in starts[first]..<starts[first + 1] {
          sum += coefficients[second - 1][position] * products[position]
        }
        for position in starts[second]..<starts[second + 1] {
          sum += coefficients[first][position] * products[position]
        }
        votes[sum > 0 ? first : second] += 1
        pair += 1
      }
    }
    return votes.indices.max { votes[$0] < votes[$1] || (votes[$0] == votes[$1] && $0 > $1) } ?? 0
  }
}

/// The dual problem of two classes: minimise ½ aᵀQa − Σ a, with 0 ≤ a ≤ C and yᵀa = 0, where Q is y · yᵀ times the
/// products of the rows.
private struct SupportVectorPair {
  /// The largest number of products that are stored.
  private static let mostProducts = 1 << 25
  /// Replaces a curvature of 0 or less, as in the paper.
  private static let leastCurvature: Double = 1e-12

  private let rows: [[Double]]
  private let signs: [Double]
  private let penalty: Double
  private let squares: [Double]
  private var multipliers: [Double]
  private var gradient: [Double]
  private var products: [Int: [Double]] = [:]
  /// The number that the sum of a row is compared with.
  private(set) var offset: Double = 0

  /// - Parameter positive: The number of rows at the beginning that belong to the first class.
  init(_ rows: [[Double]], positive: Int, penalty: Double) {
    self.rows = rows
    signs = rows.indices.map { $0 < positive ? 1 : -1 }
    self.penalty = penalty
    squares = rows.map { row in row.reduce(0) { $0 + $1 * $1 } }
    multipliers = [Double](repeating: 0, count: rows.count)
    gradient = [Double](repeating: -1, count: rows.count)
  }

  /// The factors of the rows' products in the decision.
  var coefficients: [Double] { zip(multipliers, signs).map { $0 * $1 } }

  /// Returns the products of a row with all rows.
  private mutating func products(of row: Int) -> [Double] {
    if let known = products[row] { return known }
    let vector: [Double] = rows[row]
    let made: [Double] = rows.map { other in
      var sum: Double = 0
      for index in vector.indices { sum += vector[index] * other[index] }
      return sum
    }
    if (products.count + 1) * rows.count > Self.mostProducts { products = [:] }
    products[row] = made
    return made
  }

  /// Whether the row's multiplier may move in the direction of its sign, or against it.
  private func canMove(_ row: Int, forwards: Bool) -> Bool {
    (signs[row] > 0) == forwards ? multipliers[row] < penalty : multipliers[row] > 0
  }

  mutating func solve(tolerance: Double, mostSteps: Int) {
    for _ in 0..<mostSteps {
      guard let (first, second) = workingSet(tolerance: tolerance) else { break }
      step(first, second)
    }
    offset = balance()
  }

  /// The row that violates the conditions most, and the row with which a step reduces the objective most.
  private mutating func workingSet(tolerance: Double) -> (Int, Int)? {
    var first: Int?
    var greatest: Double = -.infinity
    for row in rows.indices where canMove(row, forwards: true) {
      let value: Double = -signs[row] * gradient[row]
      if value > greatest { (greatest, first) = (value, row) }
    }
    guard let first else { return nil }
    let line: [Double] = products(of: first)
    var second: Int?
    var (least, best) = (Double.infinity, Double.infinity)
    for row in rows.indices where canMove(row, forwards: false) {
      let value: Double = -signs[row] * gradient[row]
      least = min(least, value)
      let difference: Double = greatest - value
      guard difference > 0 else { continue }
      let curvature: Double = max(
        squares[first] + squares[row] - 2 * line[row], Self.leastCurvature)
      let gain: Double = -difference * difference / curvature
      if gain < best { (best, second) = (gain, row) }
    }
    guard let second, greatest - least >= tolerance else { return nil }
    return (first, second)
  }

  /// Minimises the objective over two multipliers.
  private mutating func step(_ first: Int, _ second: Int) {
    let (line, other) = (products(of: first), products(of: second))
    let curvature: Double = max(
      squares[first] + squares[second] - 2 * line[second], Self.leastCurvature)
    let slope: Double = -signs[first] * gradient[first] + signs[second] * gradient[second]
    // The length of the step along (sign of first, −sign of second), within both bounds.
    let length: Double = min(
      slope / curvature, slack(first, forwards: true), slack(second, forwards: false))
    let (before, beforeOther) = (multipliers[first], multipliers[second])
    multipliers[first] = clamped(before + signs[first] * length)
    multipliers[second] = clamped(beforeOther - signs[second] * length)
    let change: Double = signs[first] * (multipliers[first] - before)
    let otherChange: Double = signs[second] * (multipliers[second] - beforeOther)
    for row in rows.indices {
      gradient[row] += signs[row] * (change * line[row] + otherChange * other[row])
    }
  }

  /// The distance to the bound in this direction.
  private func slack(_ row: Int, forwards: Bool) -> Double {
    (signs[row] > 0) == forwards ? penalty - multipliers[row] : multipliers[row]
  }

  private func clamped(_ value: Double) -> Double { min(max(value, 0), penalty) }

  /// The mean of y · gradient over the rows between the bounds; without such rows, the middle of the allowed interval.
  private func balance() -> Double {
    var (sum, count): (Double, Int) = (0, 0)
    var (upper, lower) = (Double.infinity, -Double.infinity)
    for row in rows.indices {
      let value: Double = signs[row] * gradient[row]
      switch multipliers[row] {
      case 0: if signs[row] > 0 { upper = min(upper, value) } else { lower = max(lower, value) }
      case penalty:
        if signs[row] > 0 { lower = max(lower, value) } else { upper = min(upper, value) }
      default:
        sum += value
        count += 1
      }
    }
    return count > 0 ? sum / Double(count) : (upper + lower) / 2
  }
}
