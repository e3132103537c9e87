import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SlidingWindowsOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = 0
        message.windowSize = 3
        message.step = 2
      },
      inputs: [
        OperatorSample.counting([8])
      ],
      expected: [
        ReferenceTensor([3, 3], numbers: "0 1 2 2 3 4 4 5 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = -1
        message.windowSize = 2
        message.step = 1
      },
      inputs: [
        OperatorSample.counting([2, 4])
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 1 1 2 2 3 4 5 5 6 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "rows of pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = 2
        message.windowSize = 3
        message.step = 2
      },
      inputs: [
        OperatorSample.random([1, 3, 9, 5])
      ],
      tolerance: .exact),
    OperatorSample(
      "channels of pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = 1
        message.windowSize = 2
        message.step = 3
      },
      inputs: [
        OperatorSample.random([2, 7, 3, 5])
      ],
      tolerance: .exact),
    OperatorSample(
      "a window longer than the axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = 1
        message.windowSize = 4
        message.step = 1
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "a window has 4 elements, but axis 1 of the input (2 × 3) has 3",
      tolerance: .exact),
    OperatorSample(
      "no step",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slidingWindows) {
        (message: inout Spec.SlidingWindowsLayerParams) -> Void in
        message.axis = 1
        message.windowSize = 2
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "expected both at least 1",
      tolerance: .exact),
  ]
}
