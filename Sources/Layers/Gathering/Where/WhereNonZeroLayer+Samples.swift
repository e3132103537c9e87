import Engine
import ModelFormat

extension WhereNonZeroLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        LayerSample.text([2, 3], "0 2 0 -1 0 3")
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 1 0 1 2")
      ],
      tolerance: .exact),
    LayerSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        LayerSample.text([3], "0 0 5")
      ],
      expected: [
        ReferenceTensor([1, 1], numbers: "2")
      ],
      tolerance: .exact),
    LayerSample(
      "nothing found",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        LayerSample.text([2], "0 0")
      ],
      expected: [
        ReferenceTensor([0, 1], numbers: "")
      ],
      tolerance: .exact),
  ]
}
