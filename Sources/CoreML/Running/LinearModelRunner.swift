import Foundation
import ModelFormat

/// Computes generalised linear models: `transform(weights · x + offset)`.
///
/// `x` is the inputs in the order of the description, arrays element by element. A classifier with
/// one row of weights for two classes gives the probability of the second. Of more classes, one
/// against the rest gives each its transformed score, scaled to a sum of 1; a reference class has the
/// score 0, and the classes share as the exponentials of their scores do.
///
/// **Source:** `GLMRegressor`, `GLMClassifier`.
struct LinearModelRunner: ModelRunner {
  private enum Transform {
    case none, logistic, probit
  }

  private let inputs: [MLFeatureDescription]
  private let rows: [[Double]]
  private let offsets: [Double]
  private let transform: Transform
  private let output: Output

  private enum Output {
    case value(MLFeatureDescription)
    case classes(ClassLabels, isOneAgainstRest: Bool, label: String?, probabilities: String?)
  }

  init(_ regressor: Spec.GLMRegressor, description: MLModelDescription) throws {
    switch regressor.postEvaluationTransform {
    case .logit: transform = .logistic
    case .probit: transform = .probit
    default: transform = .none
    }
    let name: String? = description.predictedFeatureName ?? description.outputNames.first
    guard let name, let feature = description.outputDescriptionsByName[name] else {
      throw MLModelError(.io, "The linear model names no output for its value.")
    }
    output = .value(feature)
    inputs = LinearModelRunner.inputs(of: description)
    (rows, offsets) = (regressor.weights.map(\.value), regressor.offset)
    try check()
  }

  init(_ classifier: Spec.GLMClassifier, description: MLModelDescription) throws {
    transform = classifier.postEvaluationTransform == .probit ? .probit : .logistic
    guard let labels = description.labels, labels.count > 1 else {
      throw MLModelError(.io, "The linear classifier has no class labels, expected two or more.")
    }
    output = .classes(
      labels, isOneAgainstRest: classifier.classEncoding == .oneVsRest,
      label: description.predictedFeatureName,
      probabilities: description.predictedProbabilitiesName
        ?? description.outputNames.first {
          description.outputDescriptionsByName[$0]?.type == .dictionary
        })
    inputs = LinearModelRunner.inputs(of: description)
    (rows, offsets) = (classifier.weights.map(\.value), classifier.offset)
    try check()
    let isOneAgainstRest: Bool = classifier.classEncoding == .oneVsRest
    let expected: Int =
      isOneAgainstRest && labels.count > 2 ? labels.count : labels.count - 1
    guard rows.count == expected else {
      throw MLModelError(
        .io,
        "The linear classifier has \(rows.count) rows of weights, expected \(expected) for "
          + "\(labels.count) classes. The model may be damaged.")
    }
  }

  private static func inputs(of description: MLModelDescription) -> [MLFeatureDescription] {
    description.inputNames.compactMap { description.inputDescriptionsByName[$0] }
  }

  private func check() throws {
    guard !rows.isEmpty, offsets.count == rows.count,
      rows.allSatisfy({ $0.count == rows[0].count })
    else {
      throw MLModelError(
        .io,
        "The linear model has \(rows.count) rows of weights and \(offsets.count) offsets, expected "
          + "one offset for each of one or more rows of one length. The model may be damaged.")
    }
  }

  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions?
  ) throws -> [String: MLFeatureValue] {
    let values: [Double] = try values(of: input)
    var scores: [Double] = []
    for (row, offset) in zip(rows, offsets) {
      var sum: Double = 0
      for (weight, value) in zip(row, values) { sum += weight * value }
      scores.append(sum + offset)
    }
    switch output {
    case .value(let feature): return [feature.name: try value(of: scores, for: feature)]
    case .classes(let labels, let isOneAgainstRest, let label, let probabilities):
      let shares: [Double] = shares(
        of: scores, classes: labels.count, isOneAgainstRest: isOneAgainstRest)
      var results: [String: MLFeatureValue] = [:]
      var best: Int = 0
      for (index, share) in shares.enumerated() where share > shares[best] { best = index }
      if let label { results[label] = labels.featureValue(at: best) }
      if let probabilities {
        results[probabilities] = MLFeatureValue(
          .probabilities(ProbabilityTable(labels: labels, values: shares)), type: .dictionary)
      }
      return results
    }
  }

  private func values(of input: any MLFeatureProvider) throws -> [Double] {
    var values: [Double] = []
    for description in inputs {
      guard let value = input.featureValue(for: description.name) else {
        throw MLModelError(
          .featureType,
          "The input feature \"\(description.name)\" is required but the input does not have it.")
      }
      if let problem = description.problem(with: value) {
        throw MLModelError(.featureType, problem)
      }
      switch value.content {
      case .int64(let number): values.append(Double(number))
      case .double(let number): values.append(number)
      case .multiArray(let array):
        for index in 0..<array.count { values.append(array[index].doubleValue) }
      default:
        throw MLModelError(
          .featureType,
          "The input feature \"\(description.name)\" is \(value.type.sentenceName), but a linear "
            + "model computes with numbers and arrays only.")
      }
    }
    guard values.count == rows[0].count else {
      throw MLModelError(
        .featureType,
        "The linear model's inputs have \(values.count) numbers, but it has \(rows[0].count) "
          + "weights.")
    }
    return values
  }

  private func value(
    of scores: [Double], for feature: MLFeatureDescription
  ) throws -> MLFeatureValue {
    let results: [Double] = scores.map(transformed)
    switch feature.type {
    case .int64: return MLFeatureValue(int64: Int64(results[0].rounded()))
    case .multiArray:
      let array = try MLMultiArray(
        shape: [NSNumber(value: results.count)],
        dataType: feature.multiArrayConstraint?.dataType ?? .double)
      for (index, result) in results.enumerated() { array[index] = NSNumber(value: result) }
      return MLFeatureValue(multiArray: array)
    default: return MLFeatureValue(double: results[0])
    }
  }

  private func shares(of scores: [Double], classes: Int, isOneAgainstRest: Bool) -> [Double] {
    if classes == 2, scores.count == 1 {
      let second: Double = transformed(scores[0])
      return [1 - second, second]
    }
    let parts: [Double]
    if isOneAgainstRest {
      parts = scores.map(transformed)
    } else {
      let largest: Double = max(0, scores.max() ?? 0)
      parts = ([0] + scores).map { exp($0 - largest) }
    }
    let sum: Double = parts.reduce(0, +)
    return sum > 0 ? parts.map { $0 / sum } : parts
  }

  private func transformed(_ score: Double) -> Double {
    switch transform {
    case .none: score
    case .logistic: 1 / (1 + exp(-score))
    case .probit: erfc(-score / 2.0.squareRoot()) / 2
    }
  }
}
