import Graph
import Operators

extension CrossEntropyLossOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // By hand: the loss is −Σ target · log(probability). The first example adds log 2. The second example adds
      // 0.5 · (log(e^0 + e^log 3) − log 3) = 0.5 · (log 4 − log 3).
      OperatorSample(
        "two examples of two classes", derived: CrossEntropyLossOperator(axis: 1),
        inputs: [
          ([2, 2], .values([5, 5, 0, 1.0986122886681098])), ([2, 2], .values([1, 0, 0, 0.5])),
        ],
        expected: [ReferenceTensor([1], [0.6931471805599453 + 0.14384103622589042])]),
      OperatorSample(
        "far apart", derived: CrossEntropyLossOperator(axis: 0),
        inputs: [([2], .values([1000, 0])), ([2], .values([0, 1]))],
        expected: [ReferenceTensor([1], [1000])]),
      OperatorSample(
        "channels of a mini-batch", derived: CrossEntropyLossOperator(axis: -3),
        inputs: [([1, 8, 10, 1, 1], .uniform(-3...3)), ([1, 8, 10, 1, 1], .uniform(0...1))],
        tolerance: .accumulation),
      OperatorSample(
        "no such axis", derived: CrossEntropyLossOperator(axis: 2),
        inputs: [([2, 2], .uniform(0...1)), ([2, 2], .uniform(0...1))],
        failure: "the axis is 2, expected one of the input's 2 dimensions"),
    ]
  }
}

extension CrossEntropyGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    // By hand: the probabilities are (0.25, 0.75), the targets are (0, 0.5) with the sum 0.5, and the loss has the
    // gradient 2.
    // - The logits' gradient is 2 · (0.5 · (0.25, 0.75) − (0, 0.5)).
    // - The targets' gradient is 2 · (log 4, log 4 − log 3).
    let answers: [(Variable, [Double])] = [
      (.logits, [0.25, -0.25]), (.targets, [2.772588722239781, 0.5753641449035617]),
    ]
    return answers.map { variable, values in
      OperatorSample(
        "by the \(variable)", derived: CrossEntropyGradientOperator(variable: variable, axis: 0),
        inputs: [
          ([2], .values([0, 1.0986122886681098])), ([2], .values([0, 0.5])), ([1], .values([2])),
        ],
        expected: [ReferenceTensor([2], values)])
    }
  }
}
