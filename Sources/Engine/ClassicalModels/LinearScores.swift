/// The weights and offsets of a generalized linear model.
struct LinearScores: Sendable {
  /// The number of input values.
  let inputCount: Int
  /// The number of scores.
  var count: Int { offsets.count }

  private let weights: [[Double]]
  private let offsets: [Double]

  /// - Parameter model: The model's name in the errors that the initialiser throws.
  init(weights: [[Double]], offsets: [Double], model: String) throws {
    guard let first = weights.first else {
      throw ClassicalModelError.model("The \(model) has no weights. The model may be damaged.")
    }
    guard let odd = weights.first(where: { $0.count != first.count }) else {
      guard offsets.isEmpty || offsets.count == weights.count else {
        throw ClassicalModelError.model(
          "The \(model) has \(weights.count) rows of weights, but \(offsets.count) offsets; it "
            + "needs one for each row.")
      }
      inputCount = first.count
      self.weights = weights
      self.offsets =
        offsets.isEmpty ? Array(repeating: 0, count: weights.count) : offsets
      return
    }
    throw ClassicalModelError.model(
      "The \(model) has rows of \(first.count) and of \(odd.count) weights; all rows must be "
        + "equally long.")
  }

  func callAsFunction(_ values: [Double], model: String) throws -> [Double] {
    guard values.count == inputCount else {
      throw ClassicalModelError.input(
        "The \(model) has weights for \(inputCount) values, but its input has \(values.count).")
    }
    var scores: [Double] = offsets
    for (row, rowWeights) in weights.enumerated() {
      var sum: Double = 0
      for index in 0..<inputCount { sum += rowWeights[index] * values[index] }
      scores[row] += sum
    }
    return scores
  }
}
