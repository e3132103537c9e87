import Graph
import Operators

extension GramMatrixOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let sixth = GramMatrixOperator(factor: 1.0 / 6)
    return [
      // By hand: each element is the dot product of two of the rows [1, 2, 3] and [4, 5, 6], divided by 6.
      OperatorSample(
        "two channels of three pixels", derived: sixth,
        inputs: [([1, 2, 1, 3], .values([1, 2, 3, 4, 5, 6]))],
        expected: [ReferenceTensor([1, 2, 2], [14.0 / 6, 32.0 / 6, 32.0 / 6, 77.0 / 6])],
        tolerance: .accumulation),
      OperatorSample(
        "64 channels, batch of two", derived: GramMatrixOperator(factor: 0.01),
        inputs: [([2, 64, 7, 9], .uniform(-1...1))], tolerance: .accumulation),
      OperatorSample(
        "16 channels of many pixels", derived: GramMatrixOperator(factor: 0.001),
        inputs: [([1, 16, 60, 101], .uniform(-1...1))], tolerance: .accumulation),
      OperatorSample(
        "rank three", derived: sixth, inputs: [([5, 4, 4], .uniform(-1...1))],
        tolerance: .accumulation),
      OperatorSample(
        "rank two", derived: sixth, inputs: [([5, 4], .uniform(-1...1))],
        failure: "expected three dimensions or more"),
    ]
  }
}

extension GramMatrixGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let half = GramMatrixGradientOperator(factor: 0.5)
    return [
      // By hand: the gradient of the Gram matrix is G = [1, 2; 4, 3]. The gradient of the pixels [1, 2; 3, 4] is S ·
      // [1, 2; 3, 4] with S = 0.5 · (G + Gᵀ) = [1, 3; 3, 3].
      OperatorSample(
        "two channels of two pixels", derived: half,
        inputs: [([1, 2, 1, 2], .values([1, 2, 3, 4])), ([1, 2, 2], .values([1, 2, 4, 3]))],
        expected: [ReferenceTensor([1, 2, 1, 2], [10, 14, 12, 18])], tolerance: .accumulation),
      OperatorSample(
        "32 channels, batch of two", derived: half,
        inputs: [([2, 32, 5, 7], .uniform(-1...1)), ([2, 32, 32], .uniform(-1...1))],
        tolerance: .accumulation),
      OperatorSample(
        "another number of channels", derived: half,
        inputs: [([1, 2, 1, 2], .uniform(-1...1)), ([1, 3, 3], .uniform(-1...1))],
        failure: "expected 1 × 2 × 2"),
    ]
  }
}
