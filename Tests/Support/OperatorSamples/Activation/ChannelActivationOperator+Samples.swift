import Graph
import Operators

/// Parameters that a network computes; those that a model holds are samples of ``ActivationOperator``.
extension ChannelActivationOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // By hand.
      OperatorSample(
        "PReLU with computed parameters", derived: ChannelActivationOperator(.pReLU),
        inputs: [
          ([3, 1, 2], .values([-1, 1, -2, 2, -3, 3])), ([3, 1, 1], .values([0.5, -1, 2])),
        ],
        expected: [ReferenceTensor([3, 1, 2], [-0.5, 1, 2, 2, -6, 3])]),
      // By NumPy 1.26 in float64.
      OperatorSample(
        "parametric softplus with one alpha",
        derived: ChannelActivationOperator(.parametricSoftplus),
        inputs: [
          ([2, 1, 1], .values([0.25, 0.5])), ([1], .values([1])), ([2, 1, 1], .values([2, -1])),
        ],
        expected: [ReferenceTensor([2, 1, 1], [0.974076984180107, 0.474076984180107])],
        tolerance: .accumulation),
      OperatorSample(
        "pictures", derived: ChannelActivationOperator(.parametricSoftplus),
        inputs: [
          ([2, 5, 9, 7], .uniform(-3...3)), ([5, 1, 1], .uniform(0.5...2)),
          ([5, 1, 1], .uniform(0.5...2)),
        ], tolerance: .accumulation),
      OperatorSample(
        "parameters along the rows", derived: ChannelActivationOperator(.pReLU),
        inputs: [([3, 4, 3], .uniform(-1...1)), ([3], .uniform(-1...1))],
        failure: "the parameters have the shape 3, expected 3 × 1 × 1"),
      OperatorSample(
        "no parameters", derived: ChannelActivationOperator(.pReLU),
        inputs: [([3, 4, 3], .uniform(-1...1))], failure: "has 1 inputs, expected 2"),
    ]
  }
}
