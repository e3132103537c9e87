import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension NonMaximumSuppressionOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "two boxes overlap",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.5
        message.scoreThreshold = 0
        message.maxBoxes = 3
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.text([1, 4, 2], "0.5 0.1 0.75 0.2 0.25 0.3 0.1 0.6"),
      ],
      expected: [
        ReferenceTensor([1, 3, 4], numbers: "1.25 1 2 2 5 5 1 1 0 0 0 0"),
        ReferenceTensor([1, 3, 2], numbers: "0.75 0.2 0.25 0.3 0 0"),
        ReferenceTensor([1, 3], numbers: "1 2 -1"),
        ReferenceTensor([1], numbers: "2"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "classes apart",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.5
        message.scoreThreshold = 0
        message.maxBoxes = 4
        message.perClassSuppression = true
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.text([1, 4, 2], "0.5 0.1 0.75 0.2 0.25 0.3 0.1 0.6"),
      ],
      expected: [
        ReferenceTensor([1, 4, 4], numbers: "1.25 1 2 2 1 1 2 2 5 5 1 1 0 0 0 0"),
        ReferenceTensor([1, 4, 2], numbers: "0.75 0.2 0.1 0.6 0.25 0.3 0 0"),
        ReferenceTensor([1, 4], numbers: "1 3 2 -1"),
        ReferenceTensor([1], numbers: "3"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "no box above the threshold",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.5
        message.scoreThreshold = 2
        message.maxBoxes = 2
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.text([1, 4, 2], "0.5 0.1 0.75 0.2 0.25 0.3 0.1 0.6"),
      ],
      expected: [
        ReferenceTensor([1, 2, 4], numbers: "1.25 1 2 2 0 0 0 0"),
        ReferenceTensor([1, 2, 2], numbers: "0.75 0.2 0 0"),
        ReferenceTensor([1, 2], numbers: "1 -1"),
        ReferenceTensor([1], numbers: "1"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "a batch of two",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.25
        message.scoreThreshold = 0.4
        message.maxBoxes = 5
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text(
          [2, 9, 4],
          """
          0.55 0.72 0.7 0.64 0.42 0.65 0.54 0.99 0.96 0.38 0.89 0.63 0.57 0.93 0.17 0.19 0.02
          0.83 0.88 0.97 0.98 0.8 0.56 0.88 0.12 0.64 0.24 1.04 0.52 0.41 0.36 0.87 0.46 0.57
          0.12 0.72 0.61 0.62 1.04 0.78 0.36 0.44 0.8 0.16 0.67 0.67 0.31 0.23 0.32 0.36 0.67
          0.54 0.99 0.1 0.31 0.26 0.65 0.25 0.57 0.34 0.16 0.11 0.76 0.24 0.2 0.37 0.92 0.2 0.84
          0.1 1.08 0.57
          """),
        OperatorSample.text(
          [2, 9, 3],
          """
          0.98 0.6 0.74 0.04 0.28 0.12 0.3 0.12 0.32 0.41 0.06 0.69 0.57 0.27 0.52 0.09 0.58
          0.93 0.32 0.67 0.13 0.72 0.29 0.18 0.59 0.02 0.83 0 0.68 0.27 0.74 0.96 0.25 0.58 0.59
          0.57 0.22 0.95 0.45 0.85 0.7 0.3 0.81 0.4 0.88 0.58 0.88 0.69 0.73 0.5 0.96 0.64 0.42
          0.61
          """),
      ],
      expected: [
        ReferenceTensor(
          [2, 5, 4],
          numbers: """
            0.55 0.72 0.7 0.64 0.98 0.8 0.56 0.88 0.46 0.57 0.12 0.72 0.57 0.93 0.17 0.19 0.12
            0.64 0.24 1.04 0.36 0.44 0.8 0.16 0.65 0.25 0.57 0.34 0.16 0.11 0.76 0.24 0.99 0.1
            0.31 0.26 0.61 0.62 1.04 0.78
            """),
        ReferenceTensor(
          [2, 5, 3],
          numbers: """
            0.98 0.6 0.74 0.09 0.58 0.93 0.59 0.02 0.83 0.41 0.06 0.69 0.32 0.67 0.13 0.74 0.96
            0.25 0.81 0.4 0.88 0.58 0.88 0.69 0.85 0.7 0.3 0 0.68 0.27
            """),
        ReferenceTensor([2, 5], numbers: "0 5 8 3 6 1 5 6 4 0"),
        ReferenceTensor([2], numbers: "5 5"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "a batch of two, per class",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.125
        message.scoreThreshold = 0.25
        message.maxBoxes = 12
        message.perClassSuppression = true
      },
      inputs: [
        OperatorSample.text(
          [2, 9, 4],
          """
          0.55 0.72 0.7 0.64 0.42 0.65 0.54 0.99 0.96 0.38 0.89 0.63 0.57 0.93 0.17 0.19 0.02
          0.83 0.88 0.97 0.98 0.8 0.56 0.88 0.12 0.64 0.24 1.04 0.52 0.41 0.36 0.87 0.46 0.57
          0.12 0.72 0.61 0.62 1.04 0.78 0.36 0.44 0.8 0.16 0.67 0.67 0.31 0.23 0.32 0.36 0.67
          0.54 0.99 0.1 0.31 0.26 0.65 0.25 0.57 0.34 0.16 0.11 0.76 0.24 0.2 0.37 0.92 0.2 0.84
          0.1 1.08 0.57
          """),
        OperatorSample.text(
          [2, 9, 3],
          """
          0.98 0.6 0.74 0.04 0.28 0.12 0.3 0.12 0.32 0.41 0.06 0.69 0.57 0.27 0.52 0.09 0.58
          0.93 0.32 0.67 0.13 0.72 0.29 0.18 0.59 0.02 0.83 0 0.68 0.27 0.74 0.96 0.25 0.58 0.59
          0.57 0.22 0.95 0.45 0.85 0.7 0.3 0.81 0.4 0.88 0.58 0.88 0.69 0.73 0.5 0.96 0.64 0.42
          0.61
          """),
      ],
      expected: [
        ReferenceTensor(
          [2, 12, 4],
          numbers: """
            0.55 0.72 0.7 0.64 0.98 0.8 0.56 0.88 0.46 0.57 0.12 0.72 0.57 0.93 0.17 0.19 0.12
            0.64 0.24 1.04 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0.36 0.44 0.8
            0.16 0.2 0.37 0.92 0.2 0.16 0.11 0.76 0.24 0.99 0.1 0.31 0.26 0.67 0.67 0.31 0.23 0 0
            0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
            """),
        ReferenceTensor(
          [2, 12, 3],
          numbers: """
            0.98 0.6 0.74 0.09 0.58 0.93 0.59 0.02 0.83 0.41 0.06 0.69 0.32 0.67 0.13 0 0 0 0 0 0
            0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0.74 0.96 0.25 0.73 0.5 0.96 0.58 0.88 0.69 0.85 0.7 0.3
            0.58 0.59 0.57 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
            """),
        ReferenceTensor(
          [2, 12],
          numbers: """
            0 5 8 3 6 -1 -1 -1 -1 -1 -1 -1 1 7 6 4 2 -1 -1 -1 -1 -1 -1 -1
            """),
        ReferenceTensor([2], numbers: "5 5"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "numbers from inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0
        message.scoreThreshold = 9
        message.maxBoxes = 1
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.text([1, 4, 2], "0.5 0.1 0.75 0.2 0.25 0.3 0.1 0.6"),
        OperatorSample.text([1], "0.5"),
        OperatorSample.text([1], "0.2"),
        OperatorSample.text([1], "2"),
      ],
      expected: [
        ReferenceTensor([1, 2, 4], numbers: "1.25 1 2 2 5 5 1 1"),
        ReferenceTensor([1, 2, 2], numbers: "0.75 0.2 0.25 0.3"),
        ReferenceTensor([1, 2], numbers: "1 2"),
        ReferenceTensor([1], numbers: "2"),
      ],
      tolerance: .rounding),
    OperatorSample(
      "boxes without scores",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 4)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.5
        message.scoreThreshold = 0
        message.maxBoxes = 3
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.counting([1, 3, 2]),
      ],
      failure: "expected batch × number × 4",
      tolerance: .exact),
    OperatorSample(
      "too few outputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.nonMaximumSuppression, outputs: 3)
      { (message: inout Spec.NonMaximumSuppressionLayerParams) -> Void in
        message.iouThreshold = 0.5
        message.scoreThreshold = 0
        message.maxBoxes = 3
        message.perClassSuppression = false
      },
      inputs: [
        OperatorSample.text([1, 4, 4], "1 1 2 2 1.25 1 2 2 5 5 1 1 1 1 2 2"),
        OperatorSample.text([1, 4, 2], "0.5 0.1 0.75 0.2 0.25 0.3 0.1 0.6"),
      ],
      failure: "names 3 outputs, expected 4",
      tolerance: .exact),
  ]
}
