import ClassicalModels
import ModelFormat
import Testing

/// Returns whether two lists are equal within a tolerance.
func isClose(_ left: [Double], _ right: [Double], within tolerance: Double = 1e-12) -> Bool {
  left.count == right.count
    && zip(left, right).allSatisfy { pair in abs(pair.0 - pair.1) <= tolerance }
}

/// Returns the message of the error that `body` throws.
func sentence(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "no error"
  } catch {
    return "\(error)"
  }
}

@Suite("Generalized linear models")
struct LinearModelTests {
  private func regressor(
    _ weights: [[Double]], _ offsets: [Double],
    _ transform: Spec.GLMRegressor.PostEvaluationTransform = .noTransform
  ) throws -> LinearRegressor {
    var message = Spec.GLMRegressor()
    message.weights = weights.map { row in
      var array = Spec.GLMRegressor.DoubleArray()
      array.value = row
      return array
    }
    message.offset = offsets
    message.postEvaluationTransform = transform
    return try LinearRegressor(message)
  }

  private func classifier(
    _ weights: [[Double]], _ offsets: [Double], classes: Int,
    encoding: Spec.GLMClassifier.ClassEncoding,
    transform: Spec.GLMClassifier.PostEvaluationTransform = .logit
  ) throws -> LinearClassifier {
    var message = Spec.GLMClassifier()
    message.weights = weights.map { row in
      var array = Spec.GLMClassifier.DoubleArray()
      array.value = row
      return array
    }
    message.offset = offsets
    message.classEncoding = encoding
    message.postEvaluationTransform = transform
    return try LinearClassifier(message, classCount: classes)
  }

  @Test("A regressor adds weighted inputs and an offset, and applies its transform")
  func regression() throws {
    let values: [Double] = [1, 2]
    #expect(try regressor([[2, 3]], [0.5]).predict(values) == [8.5])
    #expect(try regressor([[2, 3], [1, -1]], [0, 1]).predict(values) == [8, 0])
    #expect(try regressor([[2, 3]], []).predict(values) == [8])
    #expect(
      isClose(try regressor([[1, -1]], [0.5], .logit).predict(values), [0.3775406687981454]))
    #expect(
      isClose(try regressor([[1, -1]], [0.5], .probit).predict(values), [0.3085375387259869]))
    #expect(try regressor([[1000, 0]], [0], .logit).predict([-1, 0]) == [0])
  }

  @Test("A binary classifier computes the second class's probability from one row of weights")
  func binary() throws {
    let logit = try classifier([[1, -1]], [0.5], classes: 2, encoding: .referenceClass)
    #expect(isClose(try logit.predict([1, 2]), [0.6224593312018546, 0.3775406687981454]))
    let probit = try classifier(
      [[1, -1]], [0.5], classes: 2, encoding: .referenceClass, transform: .probit)
    #expect(isClose(try probit.predict([1, 2]), [0.6914624612740131, 0.3085375387259869]))
    let rest = try classifier([[1, -1]], [0.5], classes: 2, encoding: .oneVsRest)
    #expect(isClose(try rest.predict([1, 2]), [0.6224593312018546, 0.3775406687981454]))
  }

  @Test("With three classes, the first is the reference, or each class is compared with the rest")
  func several() throws {
    let reference = try classifier(
      [[1, 0], [0, 1]], [0, 0], classes: 3, encoding: .referenceClass)
    #expect(
      isClose(
        try reference.predict([1, 2]),
        [0.09003057317038046, 0.24472847105479767, 0.6652409557748219]))
    let rest = try classifier(
      [[1, 0], [0, 1], [-1, 0]], [0, 0, 0], classes: 3, encoding: .oneVsRest)
    #expect(
      isClose(
        try rest.predict([1, 2]),
        [0.38869614760141713, 0.4683105308334812, 0.14299332156510178]))
  }

  @Test("Incomplete models are refused with a message")
  func damaged() {
    #expect(
      sentence { _ = try regressor([], []) }
        == "The GLM regressor has no weights. The model may be damaged.")
    #expect(
      sentence { _ = try regressor([[1], [1, 2]], [0, 0]) }
        == "The GLM regressor has rows of 1 and of 2 weights; all rows must be equally long.")
    #expect(
      sentence { _ = try regressor([[1]], [0, 0]) }
        == "The GLM regressor has 1 rows of weights, but 2 offsets; it needs one for each row.")
    #expect(
      sentence { _ = try regressor([[1]], [0], .unrecognized(7)) }
        == "The GLM regressor has the unknown post-evaluation transform 7; known ones are 0, 1 "
        + "and 2.")
    #expect(
      sentence { _ = try classifier([[1]], [0], classes: 3, encoding: .referenceClass) }
        == "The GLM classifier has 1 rows of weights, but its 3 classes need 2.")
    #expect(
      sentence { _ = try classifier([[1]], [0], classes: 0, encoding: .oneVsRest) }
        == "The GLM classifier has 1 rows of weights, but its 0 classes need 1.")
  }

  @Test("An input of the wrong length is refused with a message")
  func wrongInput() {
    #expect(
      sentence { _ = try regressor([[1, 2]], [0]).predict([1]) }
        == "The GLM regressor has weights for 2 values, but its input has 1.")
  }
}
