import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension MatrixBandPartOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a band",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.matrixBandPart) {
        (message: inout Spec.MatrixBandPartLayerParams) -> Void in
        message.numLower = 1
        message.numUpper = 2
      },
      inputs: [
        OperatorSample.text(
          [5, 6],
          """
          1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
          """)
      ],
      expected: [
        ReferenceTensor(
          [5, 6],
          numbers: """
            1 2 3 0 0 0 7 8 9 10 0 0 0 14 15 16 17 0 0 0 21 22 23 24 0 0 0 28 29 30
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "no limit below",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.matrixBandPart) {
        (message: inout Spec.MatrixBandPartLayerParams) -> Void in
        message.numLower = -1
        message.numUpper = 0
      },
      inputs: [
        OperatorSample.text([4, 5], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
      ],
      expected: [
        ReferenceTensor([4, 5], numbers: "1 0 0 0 0 6 7 0 0 0 11 12 13 0 0 16 17 18 19 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "no limit above",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.matrixBandPart) {
        (message: inout Spec.MatrixBandPartLayerParams) -> Void in
        message.numLower = 0
        message.numUpper = -3
      },
      inputs: [
        OperatorSample.text([4, 5], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
      ],
      expected: [
        ReferenceTensor([4, 5], numbers: "1 2 3 4 5 0 7 8 9 10 0 0 13 14 15 0 0 0 19 20")
      ],
      tolerance: .exact),
    OperatorSample(
      "matrices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.matrixBandPart) {
        (message: inout Spec.MatrixBandPartLayerParams) -> Void in
        message.numLower = 2
        message.numUpper = 1
      },
      inputs: [
        OperatorSample.random([2, 3, 9, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.matrixBandPart) {
        (_: inout Spec.MatrixBandPartLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3])
      ],
      failure: "expected at least 2",
      tolerance: .exact),
  ]
}
