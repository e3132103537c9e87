import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConstantOperator: SampledOperator {
  public static let samples: [OperatorSample] = loadConstant + loadConstantND

  // Expected values were computed by NumPy.
  static let loadConstant: [OperatorSample] = [
    OperatorSample(
      "a constant",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstant) {
        (message: inout Spec.LoadConstantLayerParams) -> Void in
        message.shape = [3, 1, 2]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      mapping: .rank5,
      inputs: [Shape](),
      expected: [
        ReferenceTensor([1, 1, 3, 1, 2], numbers: "1 2 3 4 5 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "two sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstant) {
        (message: inout Spec.LoadConstantLayerParams) -> Void in
        message.shape = [3, 2]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      inputs: [Shape](),
      failure: "shape holds 2 sizes, expected 3",
      tolerance: .exact),
    OperatorSample(
      "values are missing",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstant) {
        (message: inout Spec.LoadConstantLayerParams) -> Void in
        message.shape = [3, 2, 2]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      inputs: [Shape](),
      failure: "12",
      tolerance: .exact),
  ]
}
