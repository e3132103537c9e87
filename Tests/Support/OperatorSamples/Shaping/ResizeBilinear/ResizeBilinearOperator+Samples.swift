import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ResizeBilinearOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "strictly aligned",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [5, 3]
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 1, 5, 3], numbers: "0 1.5 3 2 3.5 5 4 5.5 7 6 7.5 9 8 9.5 11")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "strictly aligned, one point",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [1, 1]
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 1], numbers: "0")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "aligned, one point",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [1, 1]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .alignEndpointsMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 1], numbers: "5.5")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "aligned",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [4, 7]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .alignEndpointsMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 4, 7],
          numbers: """
            0 0.5 1 1.5 2 2.5 3 2.66666667 3.16666667 3.66666667 4.16666667 4.66666667 5.16666667
            5.66666667 5.33333333 5.83333333 6.33333333 6.83333333 7.33333333 7.83333333
            8.33333333 8 8.5 9 9.5 10 10.5 11
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "like the upsample layer",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [6, 8]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .upsampleMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 6, 8],
          numbers: """
            0 0.5 1 1.5 2 2.5 3 3 2 2.5 3 3.5 4 4.5 5 5 4 4.5 5 5.5 6 6.5 7 7 6 6.5 7 7.5 8 8.5 9
            9 8 8.5 9 9.5 10 10.5 11 11 8 8.5 9 9.5 10 10.5 11 11
            """)
      ],
      tolerance: .accumulation),
    OperatorSample(
      "with region alignment",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [2, 5]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .roiAlignMode
        message.mode = mode
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 5], numbers: "2.3 2.9 3.5 4.1 4.7 6.3 6.9 7.5 8.1 8.7")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "the default size is one pixel",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (_: inout Spec.ResizeBilinearLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 1], numbers: "0")
      ],
      tolerance: .accumulation),
    OperatorSample(
      "a photograph shrunk",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [17, 23]
        var mode = Spec.SamplingMode()
        mode.samplingMethod = .upsampleMode
        message.mode = mode
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 2, 3, 40, 60])
      ],
      tolerance: .accumulation),
    OperatorSample(
      "nothing to read",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [2, 2]
      },
      inputs: [
        OperatorSample.counting([1, 1, 0, 4])
      ],
      failure: "has no pixels to resize from",
      tolerance: .exact),
    OperatorSample(
      "three sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.resizeBilinear) {
        (message: inout Spec.ResizeBilinearLayerParams) -> Void in
        message.targetSize = [2, 2, 2]
      },
      inputs: [
        OperatorSample.counting([1, 1, 3, 4])
      ],
      failure: "targetSize holds 3 numbers",
      tolerance: .exact),
  ]
}
