import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension CropOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "by amounts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (message: inout Spec.CropLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 1
        height.endEdgeSize = 0
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 0
        width.endEdgeSize = 2
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.cropAmounts = amounts
      },
      inputs: [
        OperatorSample.counting([1, 2, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 2, 2, 2], numbers: "4 5 8 9 16 17 20 21")
      ],
      tolerance: .exact),
    OperatorSample(
      "nothing cut off",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (_: inout Spec.CropLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 2, 3, 4])
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 3, 4],
          numbers: """
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "to a reference at an offset",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (message: inout Spec.CropLayerParams) -> Void in
        message.offset = [1, 2]
      },
      inputs: [
        OperatorSample.counting([1, 1, 4, 5]),
        OperatorSample.counting([1, 3, 2, 2]),
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 2], numbers: "7 8 12 13")
      ],
      tolerance: .exact),
    OperatorSample(
      "to a reference, no offset given",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (_: inout Spec.CropLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 1, 4, 5]),
        OperatorSample.counting([1, 1, 2, 2]),
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 2], numbers: "0 1 5 6")
      ],
      tolerance: .exact),
    OperatorSample(
      "a residual block of a style network",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (message: inout Spec.CropLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 2
        height.endEdgeSize = 2
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 2
        width.endEdgeSize = 2
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.cropAmounts = amounts
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 64, 24, 28])
      ],
      tolerance: .exact),
    OperatorSample(
      "more elements than exist",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (message: inout Spec.CropLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 2
        height.endEdgeSize = 2
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 0
        width.endEdgeSize = 0
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.cropAmounts = amounts
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 3])
      ],
      failure: "is smaller than what is cut off",
      tolerance: .exact),
    OperatorSample(
      "an incompatible reference",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.crop) {
        (message: inout Spec.CropLayerParams) -> Void in
        message.offset = [2, 0]
      },
      inputs: [
        OperatorSample.counting([1, 1, 4, 4]),
        OperatorSample.counting([1, 1, 3, 3]),
      ],
      failure: "reaches outside the input",
      tolerance: .exact),
  ]
}
