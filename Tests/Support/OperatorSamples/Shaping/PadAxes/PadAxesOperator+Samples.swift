import Graph
import Operators

extension PadAxesOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a mirrored vector", derived: PadAxesOperator(repeatsEdge: false, amounts: [2, 3]),
      inputs: [([3], .values([1, 2, 3]))],
      expected: [ReferenceTensor([8], [3, 2, 1, 2, 3, 2, 1, 2])], tolerance: .exact),
    OperatorSample(
      "the edges of two axes", derived: PadAxesOperator(repeatsEdge: true, amounts: [1, 0, 0, 2]),
      inputs: [([2, 2], .values([1, 2, 3, 4]))],
      expected: [ReferenceTensor([3, 4], [1, 2, 2, 2, 1, 2, 2, 2, 3, 4, 4, 4])], tolerance: .exact),
    OperatorSample(
      "channels mirrored",
      derived: PadAxesOperator(repeatsEdge: false, amounts: [0, 0, 2, 1, 1, 0, 0, 3]),
      inputs: [([2, 5, 7, 9], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "images, reflected repeatedly",
      derived: PadAxesOperator(repeatsEdge: false, amounts: [0, 0, 0, 0, 7, 5, 4, 9]),
      inputs: [([1, 19, 3, 4], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "volumes, edges repeated",
      derived: PadAxesOperator(repeatsEdge: true, amounts: [0, 0, 0, 0, 2, 1, 1, 1, 0, 2]),
      inputs: [([1, 3, 4, 3, 5], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "computed amounts", derived: PadAxesOperator(repeatsEdge: false, amounts: nil),
      inputs: [([2, 3], .uniform(-1...1)), ([4], .values([1, 0, 1, 2]))], tolerance: .exact),
    OperatorSample(
      "amounts of one axis", derived: PadAxesOperator(repeatsEdge: true, amounts: [1, 1]),
      inputs: [([2, 3], .uniform(-1...1))], failure: "2 amounts are given, expected 4"),
    OperatorSample(
      "nothing to repeat", derived: PadAxesOperator(repeatsEdge: true, amounts: [1, 1]),
      inputs: [([0], .uniform(-1...1))], failure: "axis 0 of the input (0) has no elements"),
  ]
}
