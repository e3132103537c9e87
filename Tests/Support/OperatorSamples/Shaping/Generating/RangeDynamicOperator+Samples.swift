import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension RangeDynamicOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "the end as an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeDynamic) {
        (message: inout Spec.RangeDynamicLayerParams) -> Void in
        message.startValue = 2
        message.stepSizeValue = 2
      },
      inputs: [
        OperatorSample.text([1], "7")
      ],
      expected: [
        ReferenceTensor([3], numbers: "2 4 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "end and start as inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeDynamic) {
        (message: inout Spec.RangeDynamicLayerParams) -> Void in
        message.stepSizeValue = -2
      },
      inputs: [
        OperatorSample.text([1], "-5"),
        OperatorSample.text([1], "2"),
      ],
      expected: [
        ReferenceTensor([4], numbers: "2 0 -2 -4")
      ],
      tolerance: .exact),
    OperatorSample(
      "all from inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeDynamic) {
        (_: inout Spec.RangeDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([1], "8"),
        OperatorSample.text([1], "5"),
        OperatorSample.text([1], "1.5"),
      ],
      expected: [
        ReferenceTensor([2], numbers: "5 6.5")
      ],
      tolerance: .exact),
    OperatorSample(
      "two numbers",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeDynamic) {
        (message: inout Spec.RangeDynamicLayerParams) -> Void in
        message.stepSizeValue = 1
      },
      inputs: [
        OperatorSample.text([2], "7 8")
      ],
      failure: "input 1 is 2, expected one number",
      tolerance: .exact),
    OperatorSample(
      "too long",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeDynamic) {
        (message: inout Spec.RangeDynamicLayerParams) -> Void in
        message.stepSizeValue = 1
      },
      inputs: [
        OperatorSample.text([1], "1000000000000000019884624838656")
      ],
      failure: "more than one tensor may have",
      tolerance: .exact),
  ]
}
