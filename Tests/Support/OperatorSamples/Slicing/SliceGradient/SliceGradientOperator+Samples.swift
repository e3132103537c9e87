import Graph
import Operators

extension SliceGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let columns = SliceGradientOperator(
      slices: [AxisSlice(), AxisSlice(begin: 1, end: 3)], of: [2, 4])
    let backwards = SliceGradientOperator(
      slices: [AxisSlice(begin: 1, isSqueezed: true), AxisSlice(stride: -2)], of: [2, 4])
    let picture = SliceGradientOperator(
      slices: [
        AxisSlice(), AxisSlice(begin: 1, end: 6, stride: 2), AxisSlice(begin: -3),
        AxisSlice(stride: -1),
      ], of: [2, 7, 5, 6])
    return [
      OperatorSample(
        "columns", derived: columns, inputs: [([2, 2], .values([1, 2, 3, 4]))],
        expected: [ReferenceTensor([2, 4], [0, 1, 2, 0, 0, 3, 4, 0])], tolerance: .exact),
      OperatorSample(
        "a row backwards", derived: backwards, inputs: [([2], .values([1, 2]))],
        expected: [ReferenceTensor([2, 4], [0, 0, 0, 0, 0, 2, 0, 1])], tolerance: .exact),
      OperatorSample(
        "a picture", derived: picture, inputs: [([2, 3, 3, 6], .uniform(-1...1))],
        tolerance: .exact),
      OperatorSample(
        "another shape", derived: columns, inputs: [([2, 3], .uniform(-1...1))],
        failure: "the gradient is 2 × 3, expected 2 × 2"),
    ]
  }
}
