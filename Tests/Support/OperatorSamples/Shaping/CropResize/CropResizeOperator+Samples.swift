import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension CropResizeOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "corners, rows first",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .alignEndpointsMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.text([1, 1, 1, 4, 4], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
        OperatorSample.text([1, 1, 4, 1, 1], "1 1 2 2"),
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 2, 2], numbers: "6 7 10 11")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "one point",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [1, 1]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .alignEndpointsMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.text([1, 1, 1, 4, 4], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
        OperatorSample.text([1, 1, 4, 1, 1], "1 1 2 2"),
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 1, 1], numbers: "8.5")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "a reversed region",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .alignEndpointsMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.text([1, 1, 1, 4, 4], "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
        OperatorSample.text([1, 1, 4, 1, 1], "2 2 1 1"),
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 2, 2], numbers: "11 10 7 6")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "normalised, with an image index",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 3]
        message.normalizedCoordinates = true
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([2, 1, 5, 1, 1], "1 0 0 1 0.5 0 0.25 0.5 0.75 1"),
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 2, 2, 3],
          numbers: """
            40 41 42 55 56 57 60 61 62 75 76 77 5.75 6.75 7.75 13.25 14.25 15.25 25.75 26.75 27.75
            33.25 34.25 35.25
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "columns first, every picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [3, 2]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .upsampleMode
        message.mode = mode
        var box = Spec.BoxCoordinatesMode()
        box.boxMode = .cornersWidthFirst
        message.boxIndicesMode = box
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([1, 1, 4, 1, 1], "1 0 4 3"),
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 2, 3, 2],
          numbers: """
            1 3 7.66666667 9.66666667 14.3333333 16.3333333 21 23 27.6666667 29.6666667 34.3333333
            36.3333333 41 43 47.6666667 49.6666667 54.3333333 56.3333333 61 63 67.6666667
            69.6666667 74.3333333 76.3333333
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "centres and sizes, scaled",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
        message.spatialScale = 0.5
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .roiAlignMode
        message.mode = mode
        var box = Spec.BoxCoordinatesMode()
        box.boxMode = .centerSizeHeightFirst
        message.boxIndicesMode = box
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([1, 1, 4, 1, 1], "4 4 4 6"),
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 2, 2, 2],
          numbers: """
            8.75 10.25 13.75 15.25 28.75 30.25 33.75 35.25 48.75 50.25 53.75 55.25 68.75 70.25
            73.75 75.25
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "centres and sizes, columns first, beyond the edge",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
        var box = Spec.BoxCoordinatesMode()
        box.boxMode = .centerSizeWidthFirst
        message.boxIndicesMode = box
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([1, 1, 4, 1, 1], "4 3 4 2"),
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 2, 2, 2], numbers: "12 14 17 19 32 34 37 39 52 54 57 59 72 74 77 79")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "an image index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([1, 1, 5, 1, 1], "2 0 0 1 1"),
      ],
      failure: "region 0 is of image 2, expected 0 to 1",
      tolerance: .exact),
    OperatorSample(
      "three numbers",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.cropResize) {
        (message: inout Spec.CropResizeLayerParams) -> Void in
        message.targetSize = [2, 2]
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 4, 5]),
        OperatorSample.text([1, 1, 3, 1, 1], "2 0 0"),
      ],
      failure: "expected N × 1 × 4 × 1 × 1",
      tolerance: .exact),
  ]
}
