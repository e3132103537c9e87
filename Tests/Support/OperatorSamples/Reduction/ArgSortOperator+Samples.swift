import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ArgSortOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func argSort(_ axis: Int64, descending: Bool = false) -> Spec.NeuralNetworkLayer {
      var message = Spec.ArgSortLayerParams()
      (message.axis, message.descending) = (axis, descending)
      return Spec.NeuralNetworkLayer(.argSort(message))
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([3, 1, 2, 4, 5, 5]))
    return [
      OperatorSample(
        "rows", argSort(-1), inputs: [matrix],
        expected: [ReferenceTensor([2, 3], [1, 2, 0, 0, 1, 2])], tolerance: .exact),
      OperatorSample(
        "columns, descending", argSort(0, descending: true), inputs: [matrix],
        expected: [ReferenceTensor([2, 3], [1, 1, 1, 0, 0, 0])], tolerance: .exact),
      OperatorSample("channels", argSort(1), inputs: [[2, 5, 4, 3]], tolerance: .exact),
      OperatorSample(
        "not-a-number last", argSort(0),
        inputs: [([5], .values([.nan, 1, .infinity, .nan, -0.0]))],
        expected: [ReferenceTensor([5], [4, 1, 2, 0, 3])], tolerance: .exact),
      OperatorSample(
        "long rows with ties", argSort(1), inputs: [([3, 2500], .integers(-300...300))],
        tolerance: .exact),
      OperatorSample(
        "long columns, descending", argSort(-2, descending: true),
        inputs: [([777, 19], .uniform(-1...1))], tolerance: .exact),
      OperatorSample(
        "equal values", argSort(0), inputs: [([600], .integers(3...3))], tolerance: .exact),
      OperatorSample(
        "an axis out of range", argSort(2), inputs: [matrix], failure: "the axis 2 does not exist"),
    ]
  }
}
