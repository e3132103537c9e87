import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReverseSeqOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "one length per row",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverseSeq) {
        (message: inout Spec.ReverseSeqLayerParams) -> Void in
        message.batchAxis = 0
        message.sequenceAxis = 1
      },
      inputs: [
        OperatorSample.counting([3, 4]),
        OperatorSample.text([3], "0 2 4"),
      ],
      expected: [
        ReferenceTensor([3, 4], numbers: "0 1 2 3 5 4 6 7 11 10 9 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "axes from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverseSeq) {
        (message: inout Spec.ReverseSeqLayerParams) -> Void in
        message.batchAxis = -3
        message.sequenceAxis = -1
      },
      inputs: [
        OperatorSample.counting([2, 2, 3]),
        OperatorSample.text([2], "3 2"),
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "2 1 0 5 4 3 7 6 8 10 9 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "a length too long",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverseSeq) {
        (message: inout Spec.ReverseSeqLayerParams) -> Void in
        message.batchAxis = 0
        message.sequenceAxis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2], "1 4"),
      ],
      failure: "a length is 4, expected 0 to 3",
      tolerance: .exact),
    OperatorSample(
      "too few lengths",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverseSeq) {
        (message: inout Spec.ReverseSeqLayerParams) -> Void in
        message.batchAxis = 0
        message.sequenceAxis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1], "1"),
      ],
      failure: "1 lengths are given, but the batch axis of the input (2 × 3) has 2",
      tolerance: .exact),
    OperatorSample(
      "one axis twice",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverseSeq) {
        (message: inout Spec.ReverseSeqLayerParams) -> Void in
        message.batchAxis = 1
        message.sequenceAxis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3], "1 1 1"),
      ],
      failure: "are both 1, expected different axes",
      tolerance: .exact),
  ]
}
