import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConstantOperator {
  // Expected values were computed by NumPy.
  static let loadConstantND: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstantND) {
        (message: inout Spec.LoadConstantNDLayerParams) -> Void in
        message.shape = [2, 3]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([2, 3], numbers: "1 2 3 4 5 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstantND) {
        (message: inout Spec.LoadConstantNDLayerParams) -> Void in
        message.shape = [6]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([6], numbers: "1 2 3 4 5 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "missing values of a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.loadConstantND) {
        (message: inout Spec.LoadConstantNDLayerParams) -> Void in
        message.shape = [2, 4]
        message.data = Spec.WeightParams([1, 2, 3, 4, 5, 6])
      },
      inputs: [Shape](),
      failure: "8",
      tolerance: .exact),
  ]
}
