import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension LowerTriangularOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "the main diagonal",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.lowerTriangular) {
        (_: inout Spec.LowerTriangularLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([4, 5], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
      ],
      expected: [
        ReferenceTensor([4, 5], numbers: "1 0 0 0 0 6 7 0 0 0 11 12 13 0 0 16 17 18 19 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "a diagonal above",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.lowerTriangular) {
        (message: inout Spec.LowerTriangularLayerParams) -> Void in
        message.k = 1
      },
      inputs: [
        OperatorSample.text([2, 3, 3], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18")
      ],
      expected: [
        ReferenceTensor([2, 3, 3], numbers: "1 2 0 4 5 6 7 8 9 10 11 0 13 14 15 16 17 18")
      ],
      tolerance: .exact),
    OperatorSample(
      "a diagonal below",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.lowerTriangular) {
        (message: inout Spec.LowerTriangularLayerParams) -> Void in
        message.k = -2
      },
      inputs: [
        OperatorSample.text([4, 5], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
      ],
      expected: [
        ReferenceTensor([4, 5], numbers: "0 0 0 0 0 0 0 0 0 0 11 0 0 0 0 16 17 0 0 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "a diagonal outside the matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.lowerTriangular) {
        (message: inout Spec.LowerTriangularLayerParams) -> Void in
        message.k = 40
      },
      inputs: [
        OperatorSample.random([2, 3, 7, 5])
      ],
      tolerance: .exact),
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.lowerTriangular) {
        (_: inout Spec.LowerTriangularLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3])
      ],
      failure: "expected at least 2",
      tolerance: .exact),
  ]
}
