import Graph
import Operators

extension SquaredErrorLossOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // By hand: Σ weight · (value − target)² = 0.5 · 9 + 2 · 1 + 0 · 100.
      OperatorSample(
        "three values", derived: SquaredErrorLossOperator(),
        inputs: [
          ([3], .values([1, 2, 10])), ([3], .values([4, 3, 0])), ([3], .values([0.5, 2, 0])),
        ],
        expected: [ReferenceTensor([1], [6.5])]),
      OperatorSample(
        "a mini-batch", derived: SquaredErrorLossOperator(),
        inputs: Array(repeating: ([1, 8, 3, 1, 1], .uniform(0...1)), count: 3),
        tolerance: .accumulation),
      OperatorSample(
        "different shapes", derived: SquaredErrorLossOperator(),
        inputs: [([3], .uniform(0...1)), ([3], .uniform(0...1)), ([1], .uniform(0...1))],
        failure: "input 3 has the shape 1, expected 3"),
    ]
  }
}

extension SquaredErrorGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    // By hand, if the loss has the gradient 10:
    // - The values' gradient 2 · weight · (value − target) · 10 is 2 · 0.5 · −3 · 10 and 2 · 2 · −1 · 10.
    // - The targets' gradient is the negative of the values' gradient.
    // - The weights' gradient (value − target)² · 10 is 9 · 10 and 1 · 10.
    let answers: [(Variable, [Double])] = [
      (.values, [-30, -40]), (.targets, [30, 40]), (.weights, [90, 10]),
    ]
    return answers.map { variable, values in
      OperatorSample(
        "by the \(variable)", derived: SquaredErrorGradientOperator(variable: variable),
        inputs: [
          ([2], .values([1, 2])), ([2], .values([4, 3])), ([2], .values([0.5, 2])),
          ([1], .values([10])),
        ],
        expected: [ReferenceTensor([2], values)])
    }
  }
}
