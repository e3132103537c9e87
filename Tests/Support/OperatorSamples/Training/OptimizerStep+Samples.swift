import Graph
import Operators

extension OptimizerStepOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let adam = OptimizerStepOperator(rule: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8))
    let sgd = OptimizerStepOperator(rule: .sgd(momentum: 0.5))
    let positive: OperatorSample.Fill = .uniform(0.1...1)
    let any: OperatorSample.Fill = .uniform(-1...1)
    return [
      // Computed by hand.
      OperatorSample(
        "gradient descent with momentum", derived: sgd,
        inputs: [
          ([2], .values([1, 2])), ([2], .values([10, -10])), ([2], .values([1, 0])),
          ([2], .values([0.1, 0])),
        ], outputs: 2,
        expected: [ReferenceTensor([2], [0.5, 3]), ReferenceTensor([2], [-0.5, 1])]),
      // By hand: in its first step, Adam changes each parameter by the learning rate against the sign of the gradient.
      // For the rate 0.1, the schedule, which is the last input, is (rate / (1 − beta1), 1 / (1 − beta2)) = (0.2, 4).
      OperatorSample(
        "the first step of Adam",
        derived: OptimizerStepOperator(rule: .adam(beta1: 0.5, beta2: 0.75, epsilon: 0)),
        inputs: [
          ([2], .values([1, 1])), ([2], .values([4, -8])), ([2], .values([0, 0])),
          ([2], .values([0, 0])), ([2], .values([0.2, 4])),
        ], outputs: 3,
        expected: [
          ReferenceTensor([2], [0.9, 1.1]), ReferenceTensor([2], [2, -4]),
          ReferenceTensor([2], [4, 16]),
        ]),
      OperatorSample(
        "many parameters", derived: adam,
        inputs: [
          ([7, 3, 31], any), ([7, 3, 31], any), ([7, 3, 31], any), ([7, 3, 31], positive),
          ([2], .values([0.01, 1.5])),
        ], outputs: 3),
      OperatorSample(
        "another count", derived: sgd,
        inputs: [([2], any), ([3], any), ([2], any), ([2], any)], outputs: 2,
        failure: "expected tensors of one shape and a schedule of 2"),
    ]
  }
}
