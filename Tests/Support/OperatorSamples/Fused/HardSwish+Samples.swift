import CPUBackend
import Graph
import Operators

extension HardSwish: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "a slope of 1/6", derived: HardSwish.standard,
        inputs: [([6], .values([-.infinity, -3, -1.5, 0, 1.5, 4]))],
        expected: [ReferenceTensor([6], [0, 0, -0.375, 0, 1.125, 4])]),
      OperatorSample(
        "another gate", derived: HardSwish(alpha: 0.5, beta: 0.25),
        inputs: [([4], .values([-1, -0.25, 1, 2]))],
        expected: [ReferenceTensor([4], [0, -0.03125, 0.75, 2])]),
      // float16 has no 7 / 12. The nearest is 0.58349609375.
      OperatorSample(
        "a gate in float16", derived: HardSwish(alpha: 1 / 6, beta: 0.5, roundsGate: true),
        inputs: [([2], .values([0.5, 3]))], expected: [ReferenceTensor([2], [0.291748046875, 3])]),
      OperatorSample(
        "an image", derived: HardSwish.standard, inputs: [([2, 5, 3, 7], .uniform(-5...5))]),
    ]
  }
}
