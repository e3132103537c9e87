import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SequenceRepeatOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "three times",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sequenceRepeat) {
        (message: inout Spec.SequenceRepeatLayerParams) -> Void in
        message.nRepetitions = 3
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 2, 1, 1])
      ],
      expected: [
        ReferenceTensor([6, 1, 2, 1, 1], numbers: "0 1 2 3 0 1 2 3 0 1 2 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "zero repetitions count as one",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sequenceRepeat) {
        (_: inout Spec.SequenceRepeatLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 2, 1, 1])
      ],
      expected: [
        ReferenceTensor([2, 1, 2, 1, 1], numbers: "0 1 2 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sequenceRepeat) {
        (message: inout Spec.SequenceRepeatLayerParams) -> Void in
        message.nRepetitions = 2
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 2, 3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "no sequence",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sequenceRepeat) {
        (message: inout Spec.SequenceRepeatLayerParams) -> Void in
        message.nRepetitions = 2
      },
      inputs: [
        OperatorSample.counting([2, 2, 2, 2])
      ],
      failure: "expected at least 5",
      tolerance: .exact),
  ]
}
