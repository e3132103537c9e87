import Engine
import ModelFormat

extension ReshapeStaticLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "a matrix to rank three",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [3, 1, 2]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 1, 2], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "the rest is found",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [2, -1, 2]
      },
      inputs: [
        LayerSample.counting([3, 4])
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture to a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [-1, 35]
      },
      inputs: [
        LayerSample.random([1, 4, 5, 7])
      ],
      tolerance: .exact),
    LayerSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [0, 4]
      },
      inputs: [
        LayerSample.counting([2, 0])
      ],
      expected: [
        ReferenceTensor([0, 4], numbers: "")
      ],
      tolerance: .exact),
    LayerSample(
      "two open sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [-1, -1]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "holds 2 times -1",
      tolerance: .exact),
    LayerSample(
      "a rest that is not whole",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [4, -1]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "do not divide into the target shape [4, -1]",
      tolerance: .exact),
    LayerSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [4, 2]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "holds 8 values, but the input (2 × 3) has 6",
      tolerance: .exact),
  ]
}
