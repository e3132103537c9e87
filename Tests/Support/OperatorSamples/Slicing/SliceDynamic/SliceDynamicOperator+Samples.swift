import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SliceDynamicOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "starts as an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceDynamic) {
        (message: inout Spec.SliceDynamicLayerParams) -> Void in
        message.endIds = [3, 2, 1, 1, 1]
        message.strides = [1, 1, 1, 1, 1]
        message.beginMasks = [false, false, false, false, false]
        message.endMasks = [false, true, false, false, false]
      },
      inputs: [
        OperatorSample.counting([4, 3]),
        OperatorSample.text([2], "1 -2"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "4 5 7 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "begins and ends",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceDynamic) {
        (_: inout Spec.SliceDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([4, 3]),
        OperatorSample.text([2], "1 0"),
        OperatorSample.text([2], "-1 2"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "3 4 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "strides too",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceDynamic) {
        (_: inout Spec.SliceDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([4, 3]),
        OperatorSample.text([2], "3 2"),
        OperatorSample.text([2], "0 -9"),
        OperatorSample.text([2], "-1 -2"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "11 9 8 6 5 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "everything from inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceDynamic) {
        (_: inout Spec.SliceDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([4, 3]),
        OperatorSample.text([2], "1 0"),
        OperatorSample.text([2], "0 2"),
        OperatorSample.text([2], "1 1"),
        OperatorSample.text([2], "1 0"),
        OperatorSample.text([2], "1 0"),
        OperatorSample.counting([2]),
      ],
      expected: [
        ReferenceTensor([4], numbers: "0 3 6 9")
      ],
      tolerance: .exact),
    OperatorSample(
      "too few begins",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceDynamic) {
        (_: inout Spec.SliceDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([4, 3]),
        OperatorSample.text([1], "1"),
      ],
      failure: "1 begins are given, but the input has 2 dimensions",
      tolerance: .exact),
  ]
}
