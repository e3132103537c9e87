import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension PaddingOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a constant",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 2
        height.endEdgeSize = 0
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 1
        width.endEdgeSize = 0
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
        var constant = Spec.PaddingLayerParams.PaddingConstant()
        constant.value = -1
        message.paddingType = .constant(constant)
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 1, 2, 3])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 4, 4], numbers: "-1 -1 -1 -1 -1 -1 -1 -1 -1 0 1 2 -1 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "zeros if no mode is given",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 1
        height.endEdgeSize = 1
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 1
        width.endEdgeSize = 1
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
      },
      inputs: [
        OperatorSample.text([1, 2, 2, 2], "1 2 3 4 5 6 7 8")
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 4, 4],
          numbers: """
            0 0 0 0 0 1 2 0 0 3 4 0 0 0 0 0 0 0 0 0 0 5 6 0 0 7 8 0 0 0 0 0
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "reflection",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 2
        height.endEdgeSize = 0
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 2
        width.endEdgeSize = 1
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
        message.paddingType = .reflection(Spec.PaddingLayerParams.PaddingReflection())
      },
      inputs: [
        OperatorSample.counting([1, 3, 4])
      ],
      expected: [
        ReferenceTensor(
          [1, 5, 7],
          numbers: """
            10 9 8 9 10 11 10 6 5 4 5 6 7 6 2 1 0 1 2 3 2 6 5 4 5 6 7 6 10 9 8 9 10 11 10
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "replication",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 2
        height.endEdgeSize = 0
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 1
        width.endEdgeSize = 3
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
        message.paddingType = .replication(Spec.PaddingLayerParams.PaddingReplication())
      },
      inputs: [
        OperatorSample.counting([2, 2, 3])
      ],
      expected: [
        ReferenceTensor(
          [2, 4, 7],
          numbers: """
            0 0 1 2 2 2 2 0 0 1 2 2 2 2 0 0 1 2 2 2 2 3 3 4 5 5 5 5 6 6 7 8 8 8 8 6 6 7 8 8 8 8 6
            6 7 8 8 8 8 9 9 10 11 11 11 11
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 1
        height.endEdgeSize = 0
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 0
        width.endEdgeSize = 1
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
      },
      inputs: [
        OperatorSample.counting([2, 2])
      ],
      expected: [
        ReferenceTensor([3, 3], numbers: "0 0 0 0 1 0 2 3 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "no amounts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (_: inout Spec.PaddingLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 2, 3])
      ],
      expected: [
        ReferenceTensor([1, 2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "the padding of a style network",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 40
        height.endEdgeSize = 40
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 40
        width.endEdgeSize = 40
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 3, 33, 29])
      ],
      tolerance: .exact),
    OperatorSample(
      "reflection of many channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 4
        height.endEdgeSize = 4
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 4
        width.endEdgeSize = 4
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
        message.paddingType = .reflection(Spec.PaddingLayerParams.PaddingReflection())
      },
      inputs: [
        OperatorSample.random([2, 32, 15, 13])
      ],
      tolerance: .exact),
    OperatorSample(
      "replication with an odd number of channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.padding) {
        (message: inout Spec.PaddingLayerParams) -> Void in
        var height = Spec.BorderAmounts.EdgeSizes()
        height.startEdgeSize = 1
        height.endEdgeSize = 3
        var width = Spec.BorderAmounts.EdgeSizes()
        width.startEdgeSize = 4
        width.endEdgeSize = 2
        var amounts = Spec.BorderAmounts()
        amounts.borderAmounts = [height, width]
        message.paddingAmounts = amounts
        message.paddingType = .replication(Spec.PaddingLayerParams.PaddingReplication())
      },
      inputs: [
        OperatorSample.random([1, 5, 7, 9])
      ],
      tolerance: .exact),
    OperatorSample(
      "a reflection wider than the image",
      .reflecting(top: 3, left: 4, bottom: 5, right: 1),
      inputs: [OperatorSample.counting([1, 2, 3])],
      expected: [
        ReferenceTensor(
          [1, 10, 8],
          numbers: """
            3 4 5 4 3 4 5 4 0 1 2 1 0 1 2 1 3 4 5 4 3 4 5 4 0 1 2 1 0 1 2 1 3 4 5 4 3 4 5 4 0 1 2 1
            0 1 2 1 3 4 5 4 3 4 5 4 0 1 2 1 0 1 2 1 3 4 5 4 3 4 5 4 0 1 2 1 0 1 2 1
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "a reflection of one row", .reflecting(top: 2, left: 0, bottom: 1, right: 2),
      inputs: [OperatorSample.counting([2, 1, 2])],
      expected: [
        ReferenceTensor(
          [2, 4, 4],
          numbers: """
            0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 2 3 2 3 2 3 2 3 2 3 2 3 2 3 2 3
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "a wide reflection of many channels", .reflecting(top: 7, left: 9, bottom: 2, right: 8),
      inputs: [OperatorSample.random([2, 16, 3, 4])], tolerance: .exact),
    OperatorSample(
      "a reflection of an empty image", .reflecting(top: 1, left: 0, bottom: 0, right: 0),
      inputs: [OperatorSample.counting([1, 0, 4])],
      failure: "the input has no rows that could be repeated", tolerance: .exact),
  ]
}

extension Spec.NeuralNetworkLayer {
  /// Creates a padding by reflection.
  fileprivate static func reflecting(
    top: UInt64, left: UInt64, bottom: UInt64, right: UInt64
  ) -> Spec.NeuralNetworkLayer {
    func edge(_ start: UInt64, _ end: UInt64) -> Spec.BorderAmounts.EdgeSizes {
      .making { ($0.startEdgeSize, $0.endEdgeSize) = (start, end) }
    }
    return Spec.NeuralNetworkLayer(
      .padding(
        .making {
          $0.paddingAmounts = .making { $0.borderAmounts = [edge(top, bottom), edge(left, right)] }
          $0.paddingType = .reflection(Spec.PaddingLayerParams.PaddingReflection())
        }))
  }
}
