import CPUBackend
import Graph
import Operators

extension GroupNorm: SampledOperator {
  /// The literal answer was computed with PyTorch 2 (`group_norm`).
  public static var samples: [OperatorSample] {
    func sample(
      _ name: String, _ shape: Shape, groups: Int, gamma: Bool = false, beta: Bool = false,
      rounds: Bool = false, _ activation: Epilogue? = nil
    ) -> OperatorSample {
      var norm = GroupNorm(groups: groups, epsilon: 1e-3, rounds: rounds)
      (norm.hasGamma, norm.hasBeta, norm.activation) = (gamma, beta, activation)
      // Halves of integers, so that sums are exact, and means are rounded in the same way.
      var inputs: [(Shape, OperatorSample.Fill)] = [
        (shape, rounds ? .integers(-40...40) : .uniform(-3...5))
      ]
      if gamma { inputs.append(([shape[1], 1, 1], .uniform(0.5...1.5))) }
      if beta { inputs.append(([1, shape[1], 1, 1], .uniform(-1...1))) }
      return OperatorSample(name, derived: norm, inputs: inputs, tolerance: .accumulation)
    }
    return [
      OperatorSample(
        "two groups of two channels", derived: GroupNorm(groups: 2, epsilon: 1e-5),
        inputs: [([1, 4, 1, 2], .values([1, 2, 3, 4, 10, 20, 30, 60]))],
        expected: [
          ReferenceTensor(
            [1, 4, 1, 2],
            [
              -1.34163542, -0.44721181, 0.44721181, 1.34163542, -1.06904497, -0.53452248, 0,
              1.60356745,
            ])
        ], tolerance: .accumulation),
      sample(
        "groups of three, with factors and shifts", [2, 24, 5, 7], groups: 8, gamma: true,
        beta: true),
      sample("many pixels, a swish", [1, 32, 31, 33], groups: 4, gamma: true, beta: true, .swish),
      sample("shifts alone, a ReLU", [1, 10, 4, 4], groups: 5, beta: true, .activation(.reLU)),
      sample("one group", [2, 6, 3, 3], groups: 1),
      sample("in float16", [1, 24, 9, 11], groups: 4, rounds: true),
      OperatorSample(
        "groups that do not divide the channels", derived: GroupNorm(groups: 3, epsilon: 1e-5),
        inputs: [([1, 4, 1, 2], .uniform(0...1))],
        failure: "expected images of a number of channels that 3 groups divide"),
    ]
  }
}
