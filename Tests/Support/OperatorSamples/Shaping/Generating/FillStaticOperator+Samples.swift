import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension FillStaticOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillStatic) {
        (message: inout Spec.FillStaticLayerParams) -> Void in
        message.value = 2.5
        message.targetShape = [2, 3]
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([2, 3], numbers: "2.5 2.5 2.5 2.5 2.5 2.5")
      ],
      tolerance: .exact),
    OperatorSample(
      "empty",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillStatic) {
        (message: inout Spec.FillStaticLayerParams) -> Void in
        message.value = 2.5
        message.targetShape = [2, 0]
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([2, 0], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "more elements than fit into memory",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillStatic) {
        (message: inout Spec.FillStaticLayerParams) -> Void in
        message.value = 1
        message.targetShape = [2000000000, 2000000000]
      },
      inputs: [Shape](),
      failure: "more than the 2147483648",
      tolerance: .exact),
    OperatorSample(
      "empty, with very large other sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillStatic) {
        (message: inout Spec.FillStaticLayerParams) -> Void in
        message.targetShape = [0, 2_000_000_000, 2_000_000_000, 2_000_000_000]
      },
      inputs: [Shape](),
      failure: "more than the 2147483648",
      tolerance: .exact),
  ]
}
