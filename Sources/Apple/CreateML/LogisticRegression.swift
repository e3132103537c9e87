import Foundation
import StyleTransfer

/// Multinomial logistic regression: finds weights and biases that predict the labels of examples.
///
///     minimise  ½ Σ w²  +  C · Σ −log softmax(W x + b)[label]
///
/// Here, W is the matrix of the weights w, and b is the vector of the biases, with one element for each class. The
/// second sum is over all examples: x is the vector of an example's features, and label is the example's class. Biases
/// are not regularised. scikit-learn's `LogisticRegression` solves the same problem, so the same `C` gives the same
/// classifier.
///
/// **Source:** Bishop, “Pattern Recognition and Machine Learning” (2006), section 4.3.4.
final class LogisticRegression: Objective {
  private let examples: [[Float]]
  private let labels: [Int]
  private let classCount: Int
  private let strength: Double

  /// Makes the optimisation problem for examples.
  ///
  /// - Parameters:
  ///   - examples: The features of each example. All examples have the same number of features.
  ///   - labels: The class of each example, from 0 to `classCount` − 1.
  ///   - strength: The factor C of the formula above: the weight of the loss relative to the regularisation.
  init(_ examples: [[Float]], labels: [Int], classCount: Int, strength: Double) {
    precondition(examples.count == labels.count && !examples.isEmpty)
    self.examples = examples
    self.labels = labels
    self.classCount = classCount
    self.strength = strength
  }

  /// Solves the problem by L-BFGS, with at most `iterations` iterations. Stops earlier if no step reduces the
  /// objective.
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

  /// Computes the objective and its gradient.
  ///
  /// - Parameter point: The weights of all classes, followed by the biases.
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
