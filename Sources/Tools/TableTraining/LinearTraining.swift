/// Trains linear regressors.
public enum LinearTraining {
  /// The weights of the features and the constant term.
  public struct Solution: Sendable {
    /// One weight per feature.
    public let weights: [Double]
    /// The constant term.
    public let offset: Double
  }

  /// The weight changes at which the iteration with an L1 penalty ends, relative to the largest weight.
  private static let precision: Double = 1e-10
  private static let mostSweeps: Int = 20_000

  /// Finds the weights w and the offset b that minimise
  ///
  ///     Σ (y − w·x − b)²  +  l2 · Σ w²  +  l1 · Σ |w|
  ///
  /// over all rows. With `rescaling`, each feature is first divided by its standard deviation, so that penalties do not
  /// depend on units; the weights that are returned are those of the features as given.
  ///
  /// Without an L1 penalty, the normal equations are solved by Cholesky decomposition. Otherwise, the weights are found
  /// by coordinate descent.
  ///
  /// **Source:** Friedman, Hastie, Tibshirani, “Regularization Paths for Generalized Linear Models via Coordinate
  /// Descent” (2010).
  ///
  /// - Parameter columns: The features: `[feature][row]`.
  /// - Throws: ``TableTrainingError`` if a value is missing, or if a penalty is negative.
  public static func regression(
    _ columns: [[Double]], _ target: [Double], l1: Double, l2: Double, rescaling: Bool
  ) throws -> Solution {
    guard l1 >= 0, l2 >= 0 else {
      throw TableTrainingError("A penalty is negative (L1 \(l1), L2 \(l2)), expected 0 or more.")
    }
    try requireNumbers(columns)
    let scales: [Double] = columns.map { rescaling ? deviation($0) : 1 }
    let means: [Double] = columns.map(mean)
    let features: [[Double]] = zip(columns, zip(means, scales)).map { column, shift in
      column.map { ($0 - shift.0) / shift.1 }
    }
    let targetMean: Double = mean(target)
    let rest: [Double] = target.map { $0 - targetMean }
    let count: Int = features.count
    var products = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
    for row in 0..<count {
      for column in 0...row {
        products[row][column] = dot(features[row], features[column])
        products[column][row] = products[row][column]
      }
    }
    let sides: [Double] = features.map { dot($0, rest) }
    let solution: [Double] =
      l1 == 0
      ? solved(products, sides, l2) : descended(products, sides, l1: l1, l2: l2)
    let weights: [Double] = zip(solution, scales).map { $0 / $1 }
    return Solution(weights: weights, offset: targetMean - dot(weights, means))
  }

  /// Checks that no value is missing or infinite.
  ///
  /// - Throws: ``TableTrainingError``.
  public static func requireNumbers(_ columns: [[Double]]) throws {
    for column in columns {
      if let row = column.firstIndex(where: { !$0.isFinite }) {
        throw TableTrainingError(
          "Row \(row) has a missing or infinite value, which a linear model cannot use. Remove such "
            + "rows with dropMissing(), or fill the values with fillMissing(columnNamed:with:).")
      }
    }
  }

  /// The standard deviation of a column; 1 if all values are equal.
  public static func deviation(_ column: [Double]) -> Double {
    let middle: Double = mean(column)
    let variance: Double = mean(column.map { ($0 - middle) * ($0 - middle) })
    return variance > 0 ? variance.squareRoot() : 1
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(max(values.count, 1))
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    var sum: Double = 0
    for (left, right) in zip(left, right) { sum += left * right }
    return sum
  }

  /// Solves (P + l2 · I) w = s by Cholesky decomposition. A feature that is a linear combination of those before it
  /// gets the weight 0.
  private static func solved(_ products: [[Double]], _ sides: [Double], _ l2: Double) -> [Double] {
    let count: Int = sides.count
    var lower = products
    var isFree = [Bool](repeating: true, count: count)
    for row in 0..<count {
      lower[row][row] += l2
      for column in 0...row {
        var sum: Double = lower[row][column]
        for index in 0..<column { sum -= lower[row][index] * lower[column][index] }
        if row == column {
          isFree[row] = sum > 1e-12 * max(products[row][row] + l2, 1e-300)
          lower[row][row] = isFree[row] ? sum.squareRoot() : 1
        } else {
          lower[row][column] = isFree[column] ? sum / lower[column][column] : 0
        }
      }
      if !isFree[row] { for column in 0..<row { lower[row][column] = 0 } }
    }
    var result: [Double] = sides
    for row in 0..<count {
      guard isFree[row] else {
        result[row] = 0
        continue
      }
      for column in 0..<row { result[row] -= lower[row][column] * result[column] }
      result[row] /= lower[row][row]
    }
    for row in (0..<count).reversed() where isFree[row] {
      for column in (row + 1)..<max(count, row + 1) where isFree[column] {
        result[row] -= lower[column][row] * result[column]
      }
      result[row] /= lower[row][row]
    }
    return result
  }

  private static func descended(
    _ products: [[Double]], _ sides: [Double], l1: Double, l2: Double
  ) -> [Double] {
    var weights = [Double](repeating: 0, count: sides.count)
    for _ in 0..<mostSweeps {
      var change: Double = 0
      for index in weights.indices where products[index][index] > 0 {
        var side: Double = sides[index] + products[index][index] * weights[index]
        side -= dot(products[index], weights)
        // The derivative of l1 · |w| is l1 · sign(w), and that of the squares is twice the products.
        let shrunk: Double = max(abs(side) - l1 / 2, 0)
        let weight: Double = (side < 0 ? -shrunk : shrunk) / (products[index][index] + l2)
        change = max(change, abs(weight - weights[index]))
        weights[index] = weight
      }
      if change <= precision * max(weights.map(abs).max() ?? 0, 1e-300) { break }
    }
    return weights
  }
}
