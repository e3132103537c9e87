import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension FillDynamicOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        OperatorSample.text([2], "2 3")
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "3 3 3 3 3 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "a negative size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        OperatorSample.text([2], "2 -3")
      ],
      failure: "an extent of -3",
      tolerance: .exact),
    OperatorSample(
      "more elements than fit into memory",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        OperatorSample.text(
          [2],
          """
          1000000000000000019884624838656 1000000000000000019884624838656
          """)
      ],
      failure: "more than the 2147483648",
      tolerance: .exact),
  ]
}
