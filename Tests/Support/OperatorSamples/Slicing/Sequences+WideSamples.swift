import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

// Samples for the native kernels. They have more elements than one thread processes.

extension SliceBySizeOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "rows of pictures", layer(axis: -2, size: 7),
        inputs: [OperatorSample.random([3, 5, 40, 33]), OperatorSample.text([1], "-9")],
        tolerance: .exact
      ),
      OperatorSample(
        "the first axis", layer(axis: 0, size: 5),
        inputs: [OperatorSample.random([9, 4001]), OperatorSample.text([1], "3")],
        tolerance: .exact),
    ]
  }

  private static func layer(axis: Int64, size: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.sliceBySize(.making { ($0.axis, $0.size) = (axis, size) }))
  }
}

extension ReverseSeqOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "many sequences", layer(batch: 0, sequence: 1),
        inputs: [OperatorSample.random([50, 33, 17]), ([50], .integers(0...33))], tolerance: .exact),
      OperatorSample(
        "sequence before batch", layer(batch: -2, sequence: 1),
        inputs: [OperatorSample.random([3, 17, 5, 40, 3]), ([40], .integers(0...17))],
        tolerance: .exact),
    ]
  }

  private static func layer(batch: Int64, sequence: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .reverseSeq(.making { ($0.batchAxis, $0.sequenceAxis) = (batch, sequence) }))
  }
}

extension SliceDynamicOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "images, every second row in reverse", Spec.NeuralNetworkLayer(.sliceDynamic(.init())),
        inputs: [
          OperatorSample.random([3, 5, 40, 33]), OperatorSample.text([4], "0 1 -2 3"),
          OperatorSample.text([4], "3 5 -30 33"),
          OperatorSample.text([4], "1 2 -2 3"),
        ], tolerance: .exact)
    ]
  }
}
