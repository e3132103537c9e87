import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SliceStaticOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "ranges",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [1, 0]
        message.endIds = [3, 2]
        message.strides = [1, 1]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
      },
      inputs: [
        OperatorSample.counting([4, 3])
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "3 4 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "open ends, backwards",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [9, -1]
        message.endIds = [9, -3]
        message.strides = [-2, -1]
        message.beginMasks = [true, false]
        message.endMasks = [true, false]
      },
      inputs: [
        OperatorSample.counting([5, 4])
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "19 18 11 10 3 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "bounds outside of the axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [-9, 1]
        message.endIds = [9, 9]
        message.strides = [1, 2]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
      },
      inputs: [
        OperatorSample.counting([2, 5])
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "1 3 6 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "a squeezed axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [-1, 0, 1]
        message.endIds = [0, 2, 3]
        message.strides = [1, 1, 1]
        message.beginMasks = [false, false, false]
        message.endMasks = [false, false, false]
        message.squeezeMasks = [true, false, false]
      },
      inputs: [
        OperatorSample.counting([2, 2, 3])
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "7 8 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "all axes squeezed",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [1, 2]
        message.endIds = [0, 0]
        message.strides = [1, 1]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
        message.squeezeMasks = [true, true]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([1], numbers: "5")
      ],
      tolerance: .exact),
    OperatorSample(
      "nothing left",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [2, 0]
        message.endIds = [1, 3]
        message.strides = [1, 1]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([0, 3], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "five axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [0, 1, -1, 0, 2]
        message.endIds = [9, 9, -9, 9, 7]
        message.strides = [1, 1, -2, 3, 1]
        message.beginMasks = [false, false, false, false, false]
        message.endMasks = [false, false, true, false, false]
      },
      inputs: [
        OperatorSample.random([2, 3, 5, 7, 8])
      ],
      tolerance: .exact),
    OperatorSample(
      "a large end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [0, 1]
        message.endIds = [9223372036854775807, 2]
        message.strides = [1, 1]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 1], numbers: "1 4")
      ],
      tolerance: .exact),
    OperatorSample(
      "no step",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [0, 0]
        message.endIds = [1, 1]
        message.strides = [1, 0]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "the stride of axis 1 is 0",
      tolerance: .exact),
    OperatorSample(
      "another rank",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [0]
        message.endIds = [1]
        message.strides = [1]
        message.beginMasks = [false]
        message.endMasks = [false]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "1 axes are sliced, but the input has 2 dimensions",
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [2, 0]
        message.endIds = [1, 1]
        message.strides = [1, 1]
        message.beginMasks = [false, false]
        message.endMasks = [false, false]
        message.squeezeMasks = [true, false]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "index 2 of axis 0 does not exist",
      tolerance: .exact),
    OperatorSample(
      "lists of different lengths",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.sliceStatic) {
        (message: inout Spec.SliceStaticLayerParams) -> Void in
        message.beginIds = [0, 0]
        message.endIds = [1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "all must agree",
      tolerance: .exact),
  ]
}
