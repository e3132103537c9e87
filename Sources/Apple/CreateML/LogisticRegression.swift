import Foundation
import StyleTransfer

/// Multinomial logistic regression: weights and biases that give examples their labels.
///
///     minimise  ½ Σ w²  +  C · Σ −log softmax(W x + b)[label]
///
/// Biases are not held back. That is the problem that scikit-learn's `LogisticRegression` solves, so the
/// same `C` gives the same classifier.
///
/// **Source:** Bishop, “Pattern Recognition and Machine Learning” (2006), section 4.3.4.
final class LogisticRegression: Objective {
  private let examples: [[Float]]
  private let labels: [Int]
  private let classCount: Int
  private let strength: Double

  /// A problem.
  ///
  /// - Parameters:
  ///   - examples: each with as many features.
  ///   - labels: the number of each example's class, below `classCount`.
  ///   - strength: C, how much examples count beside small weights.
  init(_ examples: [[Float]], labels: [Int], classCount: Int, strength: Double) {
    precondition(examples.count == labels.count && !examples.isEmpty)
    self.examples = examples
    self.labels = labels
    self.classCount = classCount
    self.strength = strength
  }

  /// Solves it by L-BFGS; ends earlier where no step leads further.
  func solved(iterations: Int) throws -> (weights: [[Float]], biases: [Float]) {
    let features: Int = examples[0].count
    var search = try LBFGS(
      self, from: [Float](repeating: 0, count: classCount * (features + 1)), memory: 10,
      firstLength: nil)
    for _ in 0..<iterations {
      guard try search.step(self) else { break }
    }
    let point: [Float] = search.point
    return (
      (0..<classCount).map { Array(point[($0 * features)..<(($0 + 1) * features)]) },
      Array(point[(classCount * features)...])
    )
  }

  /// The point is the weights of all classes, one after another, and then the biases.
  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let features: Int = examples[0].count
    let weightCount: Int = classCount * features
    var slope = [Double](repeating: 0, count: point.count)
    var sum: Double = 0
    var scores = [Double](repeating: 0, count: classCount)
    point.withUnsafeBufferPointer { point in
      for index in 0..<weightCount {
        let weight = Double(point[index])
        sum += weight * weight / 2
        slope[index] = weight
      }
      slope.withUnsafeMutableBufferPointer { slope in
        for (example, label) in zip(examples, labels) {
          example.withUnsafeBufferPointer { example in
            for number in 0..<classCount {
              var score = Double(point[weightCount + number])
              for feature in 0..<features {
                score += Double(point[number * features + feature]) * Double(example[feature])
              }
              scores[number] = score
            }
            let greatest: Double = scores.max() ?? 0
            let total: Double = scores.reduce(0) { $0 + exp($1 - greatest) }
            sum += strength * (greatest + log(total) - scores[label])
            for number in 0..<classCount {
              let share: Double = exp(scores[number] - greatest) / total
              let error: Double = strength * (share - (number == label ? 1 : 0))
              slope[weightCount + number] += error
              for feature in 0..<features {
                slope[number * features + feature] += error * Double(example[feature])
              }
            }
          }
        }
      }
    }
    gradient = slope.map { Float($0) }
    return sum
  }
}
