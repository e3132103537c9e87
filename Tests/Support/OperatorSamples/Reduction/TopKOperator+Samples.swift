import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension TopKOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func topK(_ k: UInt64, axis: Int64, bottom: Bool = false) -> Spec.NeuralNetworkLayer {
      var message = Spec.TopKLayerParams()
      (message.k, message.axis, message.useBottomK) = (k, axis, bottom)
      return Spec.NeuralNetworkLayer(.topK(message), outputs: 2)
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 5, 5, 4, 2, 5]))
    return [
      OperatorSample(
        "the two largest of each row", topK(2, axis: -1), inputs: [matrix],
        expected: [
          ReferenceTensor([2, 2], [5, 5, 5, 4]), ReferenceTensor([2, 2], [1, 2, 2, 0]),
        ],
        tolerance: .exact),
      OperatorSample(
        "the smallest of each column", topK(1, axis: 0, bottom: true), inputs: [matrix],
        expected: [ReferenceTensor([1, 3], [1, 2, 5]), ReferenceTensor([1, 3], [0, 1, 0])],
        tolerance: .exact),
      OperatorSample("channels", topK(3, axis: 1), inputs: [[2, 5, 4, 3]], tolerance: .exact),
      OperatorSample(
        "zeros of both signs, infinities and NaN", topK(4, axis: 0),
        inputs: [([7], .values([0, -.infinity, -0.0, .nan, .infinity, 0, .nan]))],
        expected: [
          ReferenceTensor([4], [.nan, .nan, .infinity, 0]), ReferenceTensor([4], [3, 6, 4, 0]),
        ], tolerance: .exact),
      OperatorSample(
        "the smallest, not-a-number last", topK(4, axis: 0, bottom: true),
        inputs: [([4], .values([.nan, 2, -1, .nan]))],
        expected: [
          ReferenceTensor([4], [-1, 2, .nan, .nan]), ReferenceTensor([4], [2, 1, 0, 3]),
        ], tolerance: .exact),
      OperatorSample(
        "few of many, with ties", topK(7, axis: -1),
        inputs: [([3, 4099], .integers(-2000...2000))], tolerance: .exact),
      OperatorSample(
        "few of many in ascending order", topK(3, axis: -2),
        inputs: [([5000, 2], .values((0..<10_000).map { Double($0 % 4096) }))],
        tolerance: .exact),
      OperatorSample(
        "most of many", topK(2000, axis: 1, bottom: true),
        inputs: [([2, 3001], .integers(-500...500))], tolerance: .exact),
      OperatorSample(
        "half of some", topK(150, axis: 0), inputs: [([301, 37], .uniform(-1...1))],
        tolerance: .exact),
      OperatorSample(
        "K as an input", topK(1, axis: 1), inputs: [matrix, ([1], .values([2]))],
        expected: [
          ReferenceTensor([2, 2], [5, 5, 5, 4]), ReferenceTensor([2, 2], [1, 2, 2, 0]),
        ], tolerance: .exact),
      OperatorSample("none", topK(0, axis: 1), inputs: [matrix], tolerance: .exact),
      OperatorSample(
        "more elements than exist", topK(4, axis: 1), inputs: [matrix],
        failure: "4 values are requested along axis 1 of 2 × 3, expected at most 3"),
    ]
  }
}
