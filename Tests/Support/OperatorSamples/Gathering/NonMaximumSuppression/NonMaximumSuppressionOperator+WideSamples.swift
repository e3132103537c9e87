import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

// Samples for the native kernel. They have many overlapping boxes, ties, and scores that are NaN.

extension NonMaximumSuppressionOperator {
  static var wideSamples: [OperatorSample] {
    let boxes: (Shape, OperatorSample.Fill) = ([2, 700, 4], .integers(4...30))
    let scores: (Shape, OperatorSample.Fill) = ([2, 700, 5], .integers(0...200))
    return [
      OperatorSample(
        "many boxes with ties", layer(overlap: 0.25, score: 20, most: 90), inputs: [boxes, scores],
        tolerance: .exact),
      OperatorSample(
        "many boxes, classes apart", layer(overlap: 0.5, score: 100, most: 33, perClass: true),
        inputs: [boxes, scores], tolerance: .exact),
      OperatorSample(
        "more boxes requested than exist", layer(overlap: 0.125, score: 100, most: 800),
        inputs: [boxes, scores], tolerance: .exact),
      OperatorSample(
        "scores that are NaN", layer(overlap: 0.5, score: 0.25, most: 2),
        inputs: [
          ([2, 3, 4], .values((0..<24).map { Double($0) })),
          ([2, 3, 1], .values([.nan, 0.5, .nan, .nan, .nan, 0.125])),
        ],
        expected: [
          ReferenceTensor([2, 2, 4], numbers: "4 5 6 7 0 0 0 0 20 21 22 23 0 0 0 0"),
          ReferenceTensor([2, 2, 1], numbers: "0.5 0 0.125 0"),
          ReferenceTensor([2, 2], numbers: "1 -1 2 -1"),
          ReferenceTensor([2], numbers: "1 1"),
        ], tolerance: .exact),
    ]
  }

  private static func layer(overlap: Float, score: Float, most: UInt64, perClass: Bool = false)
    -> Spec.NeuralNetworkLayer
  {
    Spec.NeuralNetworkLayer(
      .nonMaximumSuppression(
        .making {
          ($0.iouThreshold, $0.scoreThreshold) = (overlap, score)
          ($0.maxBoxes, $0.perClassSuppression) = (most, perClass)
        }), outputs: 4)
  }
}
