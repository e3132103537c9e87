import Graph
import Operators

extension BatchNormGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func sample(
      _ name: String, _ shape: Shape, isInstance: Bool = true, hasGamma: Bool = true
    ) -> OperatorSample {
      let layer = BatchNormGradientOperator(
        channels: shape[-3], isInstanceNormalization: isInstance, hasGamma: hasGamma,
        epsilon: 1e-3)
      let pictures: [(Shape, OperatorSample.Fill)] = [
        (shape, .uniform(-3...5)), (shape, .uniform(-1...1)),
      ]
      return OperatorSample(
        name, derived: layer,
        inputs: pictures + (hasGamma ? [([shape[-3]], .uniform(0.5...1.5))] : []), outputs: 3,
        tolerance: .accumulation)
    }
    // By hand: the inputs x have the mean 0 and the deviation 1, so the normalised inputs x̂ are x. The output's
    // gradient ∂y has the mean 1.5, and the mean of ∂y · x̂ is (−2 + 0 − 1 + 3) / 4 = 0. So if γ = 2, the input's
    // gradient is 2 · (∂y − 1.5).
    let small = BatchNormGradientOperator(
      channels: 1, isInstanceNormalization: true, hasGamma: true, epsilon: 0)
    return [
      OperatorSample(
        "two by two", derived: small,
        inputs: [
          ([1, 1, 2, 2], .values([-1, 1, -1, 1])), ([1, 1, 2, 2], .values([2, 0, 1, 3])),
          ([1], .values([2])),
        ], outputs: 3,
        expected: [
          ReferenceTensor([1, 1, 2, 2], [1, -3, -1, 3]), ReferenceTensor([1], [0]),
          ReferenceTensor([1], [6]),
        ], tolerance: .accumulation),
      sample("as in style networks", [2, 32, 20, 21]),
      sample("odd sizes, no factors", [3, 5, 7, 9], hasGamma: false),
      sample("more than one block", [1, 48, 40, 40]),
      sample("statistics of the batch", [3, 19, 5, 6], isInstance: false),
      OperatorSample(
        "separate factors",
        derived: BatchNormGradientOperator(
          channels: 3, isInstanceNormalization: true, hasGamma: true),
        inputs: [
          ([1, 3, 4, 4], .uniform(-1...1)), ([1, 3, 4, 4], .uniform(-1...1)),
          ([3], .values([1, 2, 0.5])),
        ], outputs: 3,
        tolerance: .accumulation),
      OperatorSample(
        "other channels", derived: small,
        inputs: [
          ([1, 2, 2, 2], .uniform(-1...1)), ([1, 2, 2, 2], .uniform(-1...1)), ([1], .values([2])),
        ], outputs: 3, failure: "expected two images of 1 channels"),
    ]
  }
}
