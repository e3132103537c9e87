import Engine
import ModelFormat

// Cases for the native kernels: both types and layouts, more than one thread takes.

extension SliceBySizeLayer {
  static var wideSamples: [LayerSample] {
    [
      LayerSample(
        "rows of pictures", layer(axis: -2, size: 7),
        inputs: [LayerSample.random([3, 5, 40, 33]), LayerSample.text([1], "-9")], tolerance: .exact
      ),
      LayerSample(
        "the first axis", layer(axis: 0, size: 5),
        inputs: [LayerSample.random([9, 4001]), LayerSample.text([1], "3")],
        tolerance: .exact),
    ]
  }

  private static func layer(axis: Int64, size: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.sliceBySize(.making { ($0.axis, $0.size) = (axis, size) }))
  }
}

extension ReverseSeqLayer {
  static var wideSamples: [LayerSample] {
    [
      LayerSample(
        "many sequences", layer(batch: 0, sequence: 1),
        inputs: [LayerSample.random([50, 33, 17]), ([50], .integers(0...33))], tolerance: .exact),
      LayerSample(
        "sequence before batch", layer(batch: -2, sequence: 1),
        inputs: [LayerSample.random([3, 17, 5, 40, 3]), ([40], .integers(0...17))],
        tolerance: .exact),
    ]
  }

  private static func layer(batch: Int64, sequence: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .reverseSeq(.making { ($0.batchAxis, $0.sequenceAxis) = (batch, sequence) }))
  }
}

extension SliceDynamicLayer {
  static var wideSamples: [LayerSample] {
    [
      LayerSample(
        "pictures, every second row backwards", Spec.NeuralNetworkLayer(.sliceDynamic(.init())),
        inputs: [
          LayerSample.random([3, 5, 40, 33]), LayerSample.text([4], "0 1 -2 3"),
          LayerSample.text([4], "3 5 -30 33"),
          LayerSample.text([4], "1 2 -2 3"),
        ], tolerance: .exact)
    ]
  }
}
