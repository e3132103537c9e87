import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension UpsampleOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "nearest",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 3]
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 4, 6],
          numbers: """
            0 0 0 1 1 1 0 0 0 1 1 1 2 2 2 3 3 3 2 2 2 3 3 3 4 4 4 5 5 5 4 4 4 5 5 5 6 6 6 7 7 7 6
            6 6 7 7 7
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "no factors",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (_: inout Spec.UpsampleLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2, 2], numbers: "0 1 2 3 4 5 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "bilinear by default",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 3]
        message.mode = .bilinear
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.text([1, 1, 1, 1, 3], "1 2 3")
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 1, 2, 9],
          numbers: """
            1 1.33333333 1.66666667 2 2.33333333 2.66666667 3 3 3 1 1.33333333 1.66666667 2
            2.33333333 2.66666667 3 3 3
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "bilinear, corners aligned",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 2]
        message.mode = .bilinear
        message.linearUpsampleMode = .alignCornersTrue
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 4, 6],
          numbers: """
            0 0.4 0.8 1.2 1.6 2 1 1.4 1.8 2.2 2.6 3 2 2.4 2.8 3.2 3.6 4 3 3.4 3.8 4.2 4.6 5
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "bilinear, corners not aligned",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 2]
        message.mode = .bilinear
        message.linearUpsampleMode = .alignCornersFalse
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 4, 6],
          numbers: """
            0 0.25 0.75 1.25 1.75 2 0.75 1 1.5 2 2.5 2.75 2.25 2.5 3 3.5 4 4.25 3 3.25 3.75 4.25
            4.75 5
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "factors with fractions",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.fractionalScalingFactor = FloatValues([1.66, 2.32])
        message.mode = .bilinear
        message.linearUpsampleMode = .alignCornersFalse
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 3, 6],
          numbers: """
            0 0.25 0.75 1.25 1.75 2 1.5 1.75 2.25 2.75 3.25 3.5 3 3.25 3.75 4.25 4.75 5
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "fractional factors, aligned corners",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.fractionalScalingFactor = FloatValues([2.3, 1.5])
        message.mode = .bilinear
        message.linearUpsampleMode = .alignCornersTrue
      },
      inputs: [
        OperatorSample.random([1, 1, 10, 2])
      ],
      tolerance: .accumulation),
    OperatorSample(
      "the decoder of a style network",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 2]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 32, 13, 17])
      ],
      tolerance: .exact),
    OperatorSample(
      "many channels, bilinear",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 2]
        message.mode = .bilinear
      },
      inputs: [
        OperatorSample.random([2, 19, 13, 7])
      ],
      tolerance: .accumulation),
    OperatorSample(
      "nearest, spread by fractions",
      derived: UpsampleOperator(heightFactor: 3.17, widthFactor: 0.67),
      inputs: [([1, 1, 1, 3], .values([1, 2, 3]))],
      expected: [ReferenceTensor([1, 1, 3, 2], [1, 2, 1, 2, 1, 2])],
      tolerance: .exact),
    OperatorSample(
      "nearest, many channels, fractional factors",
      derived: UpsampleOperator(heightFactor: 1.5, widthFactor: 2.25),
      inputs: [([2, 19, 5, 7], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "three factors",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [2, 2, 2]
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      failure: "scalingFactor holds 3 numbers, expected 2",
      tolerance: .exact),
    OperatorSample(
      "nearest with fractions",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.fractionalScalingFactor = FloatValues([1.5, 2])
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      failure: "needs bilinear interpolation",
      tolerance: .exact),
    OperatorSample(
      "a factor of zero",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.upsample) {
        (message: inout Spec.UpsampleLayerParams) -> Void in
        message.scalingFactor = [0, 2]
      },
      inputs: [
        OperatorSample.counting([1, 1, 2, 3])
      ],
      failure: "expected at least 1 × 1",
      tolerance: .exact),
  ]
}
