import Graph
import Operators

extension GatherGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let rows = GatherGradientOperator(axis: 0, of: [3, 2])
    let wide = GatherGradientOperator(axis: -1, of: [3, 4, 50])
    return [
      // By hand: row 1 gets the sum of the first and the last gradient.
      OperatorSample(
        "equal indices are added", derived: rows,
        inputs: [([3, 2], .values([4, 2, 8, 1, -2, 5])), ([3], .values([1, -1, 1]))],
        expected: [ReferenceTensor([3, 2], [0, 0, 2, 7, 8, 1])], tolerance: .exact),
      OperatorSample(
        "a matrix of indices", derived: wide,
        inputs: [
          ([3, 4, 2, 3], .uniform(-1...1)), ([2, 3], .values([7, 49, -2, 0, 7, 30])),
        ]),
      OperatorSample(
        "updates of a different shape", derived: rows,
        inputs: [([2, 2], .uniform(-1...1)), ([3], .values([0, 1, 2]))],
        failure: "the updates are 2 × 2, expected 3 × 2"),
      OperatorSample(
        "an index out of range", derived: rows,
        inputs: [([1, 2], .uniform(-1...1)), ([1], .values([3]))], failure: "index 3 does not exist"
      ),
    ]
  }
}
