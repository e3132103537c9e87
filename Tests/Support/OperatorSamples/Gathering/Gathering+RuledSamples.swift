import Graph
import Operators

// Batched indices, and other rules for valid indices. Expected values were computed by NumPy.

extension GatherOperator {
  static var ruledSamples: [OperatorSample] {
    let strict = IndexRule(countsFromEnd: false, isChecked: true)
    let unchecked = IndexRule(countsFromEnd: true, isChecked: false)
    return [
      OperatorSample(
        "rows of each element of a batch", derived: GatherOperator(axis: 1, batchAxes: 1),
        inputs: [
          OperatorSample.counting([2, 3, 2]), OperatorSample.text([2, 2], "2 0 -1 1"),
        ],
        expected: [ReferenceTensor([2, 2, 2], [4, 5, 0, 1, 10, 11, 8, 9])], tolerance: .exact),
      OperatorSample(
        "an axis after the batch axis", derived: GatherOperator(axis: -1, batchAxes: 1),
        inputs: [
          OperatorSample.counting([2, 2, 3]), OperatorSample.text([2, 1], "2 0"),
        ],
        expected: [ReferenceTensor([2, 2, 1], [2, 5, 6, 9])], tolerance: .exact),
      OperatorSample(
        "one index for each element of a batch", derived: GatherOperator(axis: 1, batchAxes: 1),
        inputs: [OperatorSample.counting([2, 3]), OperatorSample.text([2], "1 2")],
        expected: [ReferenceTensor([2], [1, 5])], tolerance: .exact),
      OperatorSample(
        "batches that differ", derived: GatherOperator(axis: 1, batchAxes: 1),
        inputs: [OperatorSample.counting([2, 3]), OperatorSample.counting([3, 1])],
        failure: "the first 1 axes are those of a batch, but the inputs are 2 × 3 and 3 × 1"),
      OperatorSample(
        "no negative indices", derived: GatherOperator(axis: 0, rule: strict),
        inputs: [OperatorSample.counting([3, 2]), OperatorSample.text([2], "0 -1")],
        failure: "index -1 does not exist on axis 0, expected 0 to 2"),
      OperatorSample(
        "unchecked indices", derived: GatherOperator(axis: 0, rule: unchecked),
        inputs: [OperatorSample.counting([3, 2]), OperatorSample.text([3], "-1 3 1")],
        expected: [ReferenceTensor([3, 2], [4, 5, 0, 0, 2, 3])], tolerance: .exact),
    ]
  }
}

extension GatherNDOperator {
  static var ruledSamples: [OperatorSample] {
    let unchecked = IndexRule(countsFromEnd: true, isChecked: false)
    return [
      OperatorSample(
        "slices of each element of a batch", derived: GatherNDOperator(batchAxes: 1),
        inputs: [
          OperatorSample.counting([2, 2, 3]), OperatorSample.text([2, 1, 2], "1 0 0 -1"),
        ],
        expected: [ReferenceTensor([2, 1], [3, 8])], tolerance: .exact),
      OperatorSample(
        "unchecked indices", derived: GatherNDOperator(rule: unchecked),
        inputs: [OperatorSample.counting([2, 3]), OperatorSample.text([2, 1], "5 1")],
        expected: [ReferenceTensor([2, 3], [0, 0, 0, 3, 4, 5])], tolerance: .exact),
    ]
  }
}

extension GatherAlongAxisOperator {
  static var ruledSamples: [OperatorSample] {
    let strict = IndexRule(countsFromEnd: false, isChecked: true)
    return [
      OperatorSample(
        "no negative indices", derived: GatherAlongAxisOperator(axis: 1, rule: strict),
        inputs: [OperatorSample.counting([2, 3]), OperatorSample.text([2, 1], "0 -1")],
        failure: "index -1 does not exist on axis 1, expected 0 to 2")
    ]
  }
}

extension ScatterOperator {
  static var ruledSamples: [OperatorSample] {
    let unchecked = IndexRule(countsFromEnd: false, isChecked: false)
    return [
      OperatorSample(
        "updates out of range are ignored",
        derived: ScatterOperator(axis: 0, mode: .add, rule: unchecked),
        inputs: [
          OperatorSample.counting([2, 2]), OperatorSample.text([3], "-1 2 1"),
          ([3, 2], .values([1, 1, 1, 1, 5, 6])),
        ],
        expected: [ReferenceTensor([2, 2], [0, 1, 7, 9])], tolerance: .exact),
      OperatorSample(
        "no negative indices",
        derived: ScatterOperator(axis: 0, rule: IndexRule(countsFromEnd: false, isChecked: true)),
        inputs: [
          OperatorSample.counting([2, 2]), OperatorSample.text([1], "-1"),
          OperatorSample.counting([1, 2]),
        ],
        failure: "index -1 does not exist on axis 0, expected 0 to 1"),
    ]
  }
}

extension ScatterNDOperator {
  static var ruledSamples: [OperatorSample] {
    let unchecked = IndexRule(countsFromEnd: false, isChecked: false)
    return [
      OperatorSample(
        "updates out of range are ignored", derived: ScatterNDOperator(rule: unchecked),
        inputs: [
          OperatorSample.counting([2, 2]), OperatorSample.text([2, 2], "0 1 2 0"),
          ([2], .values([8, 9])),
        ],
        expected: [ReferenceTensor([2, 2], [0, 8, 2, 3])], tolerance: .exact)
    ]
  }
}

extension ScatterAlongAxisOperator {
  static var ruledSamples: [OperatorSample] {
    let unchecked = IndexRule(countsFromEnd: false, isChecked: false)
    return [
      OperatorSample(
        "updates out of range are ignored",
        derived: ScatterAlongAxisOperator(axis: 1, mode: .maximum, rule: unchecked),
        inputs: [
          OperatorSample.counting([2, 2]), OperatorSample.text([2, 1], "-1 0"),
          ([2, 1], .values([8, 9])),
        ],
        expected: [ReferenceTensor([2, 2], [0, 1, 9, 3])], tolerance: .exact)
    ]
  }
}
