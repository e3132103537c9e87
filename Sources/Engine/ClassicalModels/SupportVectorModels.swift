import Foundation
import ModelFormat

/// A support vector regressor.
public struct SupportVectorRegressor: Sendable {
  private static let name: String = "support vector regressor"
  private let kernel: Kernel
  private let coefficients: [Double]
  private let rho: Double

  /// Reads and checks a model.
  public init(_ message: Spec.SupportVectorRegressor) throws {
    let name: String = SupportVectorRegressor.name
    switch message.supportVectors {
    case .denseSupportVectors(let vectors)?:
      kernel = try Kernel(message.kernel, dense: vectors, model: name)
    case .sparseSupportVectors(let vectors)?:
      kernel = try Kernel(message.kernel, sparse: vectors, model: name)
    case nil:
      kernel = try Kernel(message.kernel, dense: Spec.DenseSupportVectors(), model: name)
    }
    coefficients = message.coefficients?.alpha ?? []
    rho = message.rho
    guard coefficients.count == kernel.count else {
      throw ClassicalModelError.model(
        "The \(name) has \(kernel.count) support vectors, but \(coefficients.count) coefficients; "
          + "it needs one for each.")
    }
  }

  /// Returns the predicted value.
  public func predict(_ values: [Double]) throws -> [Double] {
    let kernels: [Double] = try kernel.values(for: values, model: SupportVectorRegressor.name)
    var sum: Double = -rho
    for index in kernels.indices { sum += coefficients[index] * kernels[index] }
    return [sum]
  }
}

/// A support vector classifier, which compares classes in pairs.
public struct SupportVectorClassifier: Sendable {
  private static let name: String = "support vector classifier"
  private let kernel: Kernel
  /// For each class, the position of its first support vector. The last element is the number of all support vectors.
  private let starts: [Int]
  private let coefficients: [[Double]]
  private let rho: [Double]
  private let probA: [Double]
  private let probB: [Double]
  private let classCount: Int

  /// Reads and checks a model.
  public init(_ message: Spec.SupportVectorClassifier, classCount: Int) throws {
    let name: String = SupportVectorClassifier.name
    switch message.supportVectors {
    case .denseSupportVectors(let vectors)?:
      kernel = try Kernel(message.kernel, dense: vectors, model: name)
    case .sparseSupportVectors(let vectors)?:
      kernel = try Kernel(message.kernel, sparse: vectors, model: name)
    case nil:
      kernel = try Kernel(message.kernel, dense: Spec.DenseSupportVectors(), model: name)
    }
    guard classCount >= 2, classCount <= 1 << 15 else {
      throw ClassicalModelError.model(
        "The \(name) has \(classCount) class labels; expected 2 or more.")
    }
    self.classCount = classCount
    let counts: [Int] = message.numberOfSupportVectorsPerClass.map(Int.init)
    guard counts.count == classCount, counts.allSatisfy({ $0 >= 0 }),
      counts.reduce(0, +) == kernel.count
    else {
      throw ClassicalModelError.model(
        "The \(name) has \(kernel.count) support vectors and \(classCount) classes, which its "
          + "numbers of support vectors per class, \(counts.prefix(8)), do not add up to.")
    }
    var starts: [Int] = [0]
    for count in counts { starts.append((starts.last ?? 0) + count) }
    self.starts = starts
    coefficients = message.coefficients.map(\.alpha)
    let vectorCount: Int = kernel.count
    guard coefficients.count == classCount - 1,
      coefficients.allSatisfy({ $0.count == vectorCount })
    else {
      throw ClassicalModelError.model(
        "The \(name) needs \(classCount - 1) rows of \(vectorCount) coefficients for its classes "
          + "and support vectors.")
    }
    let pairs: Int = classCount * (classCount - 1) / 2
    rho = message.rho
    probA = message.probA
    probB = message.probB
    guard rho.count == pairs else {
      throw ClassicalModelError.model(
        "The \(name) has \(rho.count) values of rho; its \(classCount) classes need \(pairs).")
    }
    guard probA.count == probB.count, probA.isEmpty || probA.count == pairs else {
      throw ClassicalModelError.model(
        "The \(name) has \(probA.count) values of probA and \(probB.count) of probB; its "
          + "\(classCount) classes need none or \(pairs).")
    }
  }

  /// Returns the probability of each class. If the model has no probabilities, returns each class's fraction of the
  /// votes.
  public func predict(_ values: [Double]) throws -> [Double] {
    let kernels: [Double] = try kernel.values(for: values, model: SupportVectorClassifier.name)
    var votes: [Double] = Array(repeating: 0, count: classCount)
    var pairwise: [[Double]] = []
    let hasProbabilities: Bool = !probA.isEmpty
    if hasProbabilities {
      pairwise = Array(repeating: Array(repeating: 0, count: classCount), count: classCount)
    }
    var pair: Int = 0
    for first in 0..<classCount {
      for second in (first + 1)..<max(classCount, first + 1) {
        let decision: Double = decision(first, second, kernels) - rho[pair]
        votes[decision > 0 ? first : second] += 1
        if hasProbabilities {
          let raw: Double = logistic(-(probA[pair] * decision + probB[pair]))
          let limited: Double = limited(raw)
          pairwise[first][second] = limited
          pairwise[second][first] = 1 - limited
        }
        pair += 1
      }
    }
    if !hasProbabilities { return normalized(votes) }
    if classCount == 2 { return [pairwise[0][1], pairwise[1][0]] }
    return SupportVectorClassifier.coupled(pairwise)
  }

  /// Clamps a probability away from 0 and 1. NaN becomes the lower limit, as in libsvm.
  private func limited(_ probability: Double) -> Double {
    let least: Double = 1e-7
    guard probability > least else { return least }
    return probability < 1 - least ? probability : 1 - least
  }

  /// Sums the kernel values of the support vectors of two classes, each multiplied by its coefficient. If the sum
  /// exceeds the pair's `rho`, the decision is for the first class.
  private func decision(_ first: Int, _ second: Int, _ kernels: [Double]) -> Double {
    var sum: Double = 0
    for index in starts[first]..<starts[first + 1] {
      sum += coefficients[second - 1][index] * kernels[index]
    }
    for index in starts[second]..<starts[second + 1] {
      sum += coefficients[first][index] * kernels[index]
    }
    return sum
  }

  /// Combines the pairwise probabilities: the second method of Wu, Lin and Weng, “Probability estimates for multi-class
  /// classification by pairwise coupling” (2004).
  private static func coupled(_ pairwise: [[Double]]) -> [Double] {
    let count: Int = pairwise.count
    var matrix: [[Double]] = Array(repeating: Array(repeating: 0, count: count), count: count)
    for row in 0..<count {
      for column in 0..<count where column != row {
        matrix[row][row] += pairwise[column][row] * pairwise[column][row]
        matrix[row][column] = -pairwise[column][row] * pairwise[row][column]
      }
    }
    var result: [Double] = Array(repeating: 1 / Double(count), count: count)
    let tolerance: Double = 0.005 / Double(count)
    for _ in 0..<max(100, count) {
      var products: [Double] = matrix.map { row in
        zip(row, result).reduce(0) { $0 + $1.0 * $1.1 }
      }
      var total: Double = zip(products, result).reduce(0) { $0 + $1.0 * $1.1 }
      // This reduction ignores NaN, as libsvm does.
      let error: Double = products.reduce(0) { max($0, ($1 - total).magnitude) }
      if error < tolerance { break }
      for index in 0..<count {
        let step: Double = (total - products[index]) / matrix[index][index]
        result[index] += step
        let scale: Double = 1 + step
        total =
          (total + step * (step * matrix[index][index] + 2 * products[index])) / (scale * scale)
        for other in 0..<count {
          products[other] = (products[other] + step * matrix[index][other]) / scale
          result[other] /= scale
        }
      }
    }
    return result
  }
}
