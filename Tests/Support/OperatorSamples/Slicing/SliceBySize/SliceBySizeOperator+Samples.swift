import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SliceBySizeOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = 1
        message.size = 2
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1], "1"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "1 2 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = -1
        message.size = 2
      },
      inputs: [
        OperatorSample.counting([2, 5]),
        OperatorSample.text([1], "-3"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "2 3 7 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = 2
        message.size = 3
      },
      inputs: [
        OperatorSample.counting([1, 2, 5, 2]),
        OperatorSample.text([1], "2"),
      ],
      expected: [
        ReferenceTensor([1, 2, 3, 2], numbers: "4 5 6 7 8 9 14 15 16 17 18 19")
      ],
      tolerance: .exact),
    OperatorSample(
      "outside of the axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = 1
        message.size = 2
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1], "2"),
      ],
      failure: "reach outside axis 1",
      tolerance: .exact),
    OperatorSample(
      "more elements than exist",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = 0
        message.size = 3
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1]),
      ],
      failure: "3 elements are taken, but axis 0 of the input (2 × 3) has 2",
      tolerance: .exact),
    OperatorSample(
      "no size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceBySize) {
        (message: inout Spec.SliceBySizeLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1]),
      ],
      failure: "size is 0",
      tolerance: .exact),
  ]
}
