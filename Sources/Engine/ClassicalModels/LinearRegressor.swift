import ModelFormat

/// A generalized linear regressor: weighted sums of the input, and a link function.
public struct LinearRegressor: Sendable {
  private enum Link: Sendable {
    case identity, logit, probit
  }

  private let scores: LinearScores
  private let link: Link
  private static let name: String = "GLM regressor"

  /// The number of input values.
  public var inputCount: Int { scores.inputCount }
  /// The number of output values.
  public var outputCount: Int { scores.count }

  /// Reads and checks a model.
  public init(_ message: Spec.GLMRegressor) throws {
    scores = try LinearScores(
      weights: message.weights.map(\.value), offsets: message.offset, model: LinearRegressor.name)
    switch message.postEvaluationTransform {
    case .noTransform: link = .identity
    case .logit: link = .logit
    case .probit: link = .probit
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "The GLM regressor has the unknown post-evaluation transform \(value); known ones are 0, 1 "
          + "and 2.")
    }
  }

  /// Returns the predicted values, one per row of weights.
  public func predict(_ values: [Double]) throws -> [Double] {
    let results: [Double] = try scores(values, model: LinearRegressor.name)
    switch link {
    case .identity: return results
    case .logit: return results.map(logistic)
    case .probit: return results.map(normalDistribution)
    }
  }
}
