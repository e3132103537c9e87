import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension RangeStaticOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "with fractions",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = 5
        message.endValue = 8
        message.stepSizeValue = 1.5
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([2], numbers: "5 6.5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "downwards",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = 10
        message.endValue = 5
        message.stepSizeValue = -0.6
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([9], numbers: "10 9.4 8.8 8.2 7.6 7.0 6.4 5.8 5.2")
      ],
      tolerance: .rounding),
    OperatorSample(
      "from below zero",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = -10.4
        message.endValue = 23
        message.stepSizeValue = 12.2
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([3], numbers: "-10.4 1.8 14.0")
      ],
      tolerance: .rounding),
    OperatorSample(
      "a quotient that is an integer only in decimal",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = 0
        message.endValue = 0.6
        message.stepSizeValue = 0.2
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([3], numbers: "0 0.2 0.4")
      ],
      tolerance: .rounding),
    OperatorSample(
      "none",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = 3
        message.endValue = 3
        message.stepSizeValue = 1
      },
      inputs: [Shape](),
      expected: [
        ReferenceTensor([0], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "no step",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rangeStatic) {
        (message: inout Spec.RangeStaticLayerParams) -> Void in
        message.startValue = 0
        message.endValue = 3
        message.stepSizeValue = 0
      },
      inputs: [Shape](),
      failure: "has no end",
      tolerance: .exact),
  ]
}
