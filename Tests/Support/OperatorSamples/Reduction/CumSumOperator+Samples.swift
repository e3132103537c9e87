import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension CumSumOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func cumSum(_ axis: Int64, exclusive: Bool = false, reverse: Bool = false)
      -> Spec.NeuralNetworkLayer
    {
      var message = Spec.CumSumLayerParams()
      (message.axis, message.excludeFinalSum, message.reverse) = (axis, exclusive, reverse)
      return Spec.NeuralNetworkLayer(.cumSum(message))
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 2, 3, 4, 5, 6]))
    func answer(_ values: [Double]) -> [ReferenceTensor] { [ReferenceTensor([2, 3], values)] }
    return [
      OperatorSample(
        "rows", cumSum(-1), inputs: [matrix], expected: answer([1, 3, 6, 4, 9, 15])),
      OperatorSample(
        "columns", cumSum(0), inputs: [matrix], expected: answer([1, 2, 3, 5, 7, 9])),
      OperatorSample(
        "exclusive", cumSum(1, exclusive: true), inputs: [matrix],
        expected: answer([0, 1, 3, 0, 4, 9])),
      OperatorSample(
        "reversed", cumSum(1, reverse: true), inputs: [matrix],
        expected: answer([6, 5, 3, 15, 11, 6])),
      OperatorSample(
        "exclusive and reversed", cumSum(1, exclusive: true, reverse: true), inputs: [matrix],
        expected: answer([5, 3, 0, 11, 6, 0])),
      OperatorSample(
        "the axis as an input", cumSum(0), inputs: [matrix, ([1], .values([-1]))],
        expected: answer([1, 3, 6, 4, 9, 15])),
      OperatorSample("wide planes", cumSum(1), inputs: [[2, 17, 23, 29]], tolerance: .rounding),
      OperatorSample(
        "many long rows, reversed", cumSum(-1, reverse: true), inputs: [[130, 301]],
        tolerance: .rounding),
      OperatorSample(
        "the first axis as an input", cumSum(1, exclusive: true),
        inputs: [([5, 3, 2, 7], .uniform(-1...1)), ([1], .values([0]))], tolerance: .rounding),
      OperatorSample(
        "an axis too many as an input", cumSum(0), inputs: [matrix, ([1], .values([-3]))],
        failure: "the axis -3 does not exist"),
      OperatorSample(
        "an axis out of range", cumSum(2), inputs: [matrix], failure: "the axis 2 does not exist"),
    ]
  }
}
