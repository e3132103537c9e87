import Graph
import Operators

extension SliceUpdateOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let plain = SliceUpdateOperator(SliceDynamicOperator())
    let strided = SliceUpdateOperator(
      SliceDynamicOperator(
        strides: [1, -2], endMasks: [false, true], squeezeMasks: [true, false]))
    return [
      OperatorSample(
        "a column", derived: plain,
        inputs: [
          OperatorSample.counting([2, 3]), ([2, 1], .values([7, 8])),
          OperatorSample.text([2], "0 -2"), OperatorSample.text([2], "2 -1"),
        ],
        expected: [ReferenceTensor([2, 3], [0, 7, 2, 3, 8, 5])], tolerance: .exact),
      OperatorSample(
        "a row backwards", derived: strided,
        inputs: [
          OperatorSample.counting([2, 3]), ([2], .values([7, 8])),
          OperatorSample.text([2], "1 2"), OperatorSample.text([2], "0 0"),
        ],
        expected: [ReferenceTensor([2, 3], [0, 1, 2, 8, 4, 7])], tolerance: .exact),
      OperatorSample(
        "one token in a cache", derived: plain,
        inputs: [
          OperatorSample.random([1, 4, 65, 32]), OperatorSample.random([1, 4, 1, 32]),
          OperatorSample.text([4], "0 0 17 0"), OperatorSample.text([4], "1 4 18 32"),
        ], tolerance: .exact),
      OperatorSample(
        "an update of a different shape", derived: plain,
        inputs: [
          OperatorSample.counting([2, 3]), OperatorSample.counting([1, 2]),
          OperatorSample.text([2], "0 0"), OperatorSample.text([2], "2 1"),
        ],
        failure: "the update is 1 × 2, but it must replace 2 × 1 elements"),
    ]
  }
}
