import Graph
import Operators

extension ListWriteOperator: SampledOperator {
  /// Answers were computed by hand.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "one element", derived: ListWriteOperator(grows: false),
        inputs: [
          ([3, 2], .values([1, 2, 3, 4, 5, 6])), ([], .values([1])), ([2], .values([-1, -2])),
        ], expected: [ReferenceTensor([3, 2], [1, 2, -1, -2, 5, 6])], tolerance: .exact),
      OperatorSample(
        "several elements", derived: ListWriteOperator(grows: false),
        inputs: [
          ([3, 2], .values([1, 2, 3, 4, 5, 6])), ([2], .values([2, 0])),
          ([2, 2], .values([-1, -2, -3, -4])),
        ], expected: [ReferenceTensor([3, 2], [-3, -4, 3, 4, -1, -2])], tolerance: .exact),
      OperatorSample(
        "an element of a different shape", derived: ListWriteOperator(grows: false),
        inputs: [([3, 2], .uniform(-1...1)), ([], .values([1])), ([3], .uniform(-1...1))],
        failure: "an element is 3, expected 2"),
      OperatorSample(
        "an index beyond the end of the list", derived: ListWriteOperator(grows: false),
        inputs: [([3, 2], .uniform(-1...1)), ([], .values([3])), ([2], .uniform(-1...1))],
        failure: "index 3 does not exist in a list of 3"),
    ]
  }
}
