import Graph
import Operators

/// Samples whose parameters a network computes. Samples with constant parameters belong to ``ActivationOperator``.
extension ChannelActivationOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // Computed by hand.
      OperatorSample(
        "PReLU with computed parameters", derived: ChannelActivationOperator(.pReLU),
        inputs: [
          ([3, 1, 2], .values([-1, 1, -2, 2, -3, 3])), ([3, 1, 1], .values([0.5, -1, 2])),
        ],
        expected: [ReferenceTensor([3, 1, 2], [-0.5, 1, 2, 2, -6, 3])]),
      // Computed by NumPy 1.26 in float64.
      OperatorSample(
        "parametric softplus with a shared alpha",
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
