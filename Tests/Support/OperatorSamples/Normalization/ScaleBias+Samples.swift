import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ScaleOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    let input: [(Shape, OperatorSample.Fill)] = [([1, 2, 1, 2], .values([1, 2, 3, 4]))]
    return [
      OperatorSample(
        "one number, no bias", layer([1], [5]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [5, 10, 15, 20])]),
      OperatorSample(
        "by channel", layer([2], [2, 3], [2], [1, -1]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [3, 5, 8, 11])]),
      OperatorSample(
        "per pixel and per channel", layer([1, 1, 2], [2, 3], [2, 1, 1], [10, 20]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [12, 16, 26, 32])]),
      OperatorSample(
        "by element", layer([2, 1, 2], [1, 2, 3, 4], [1], [1]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [2, 5, 10, 17])]),
      OperatorSample(
        "per channel in the five-dimensional mapping",
        layer([3, 1, 1], [1, 2, 3], [3], [0.5, 0, -1]), mapping: .rank5,
        inputs: [[2, 1, 3, 7, 9]]),
      OperatorSample("rank three", layer([3], [1, 2, 3]), inputs: [[3, 5, 5]]),
      OperatorSample(
        "another number of channels", layer([3], [1, 2, 3]), inputs: [[1, 2, 4, 4]],
        failure: "the scale has the shape 3 × 1 × 1, which does not broadcast"),
      OperatorSample(
        "two dimensions", layer([2, 2], [1, 2, 3, 4]), inputs: [[1, 2, 2, 2]],
        failure: "shapeScale has 2 dimensions, expected 1"),
    ]
  }

  private static func layer(
    _ shape: [UInt64], _ scale: [Float], _ biasShape: [UInt64] = [], _ bias: [Float]? = nil
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .scale(
        .making {
          $0.shapeScale = shape
          $0.scale = Spec.WeightParams(scale)
          $0.hasBias = bias != nil
          $0.shapeBias = biasShape
          $0.bias = bias.map { Spec.WeightParams($0) }
        }))
  }
}

extension BiasOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    let input: [(Shape, OperatorSample.Fill)] = [([1, 2, 1, 2], .values([1, 2, 3, 4]))]
    return [
      OperatorSample(
        "one number", layer([1], [0.5]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [1.5, 2.5, 3.5, 4.5])]),
      OperatorSample(
        "by channel", layer([2], [10, 20]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [11, 12, 23, 24])]),
      OperatorSample(
        "by element", layer([2, 1, 2], [1, 2, 3, 4]), inputs: input,
        expected: [ReferenceTensor([1, 2, 1, 2], [2, 4, 6, 8])]),
      OperatorSample(
        "per pixel of a batch", layer([1, 2, 2], [1, 2, 3, 4]), inputs: [[2, 3, 2, 2]]),
      OperatorSample(
        "another width", layer([1, 2, 3], [1, 2, 3, 4, 5, 6]), inputs: [[1, 1, 2, 2]],
        failure: "the bias has the shape 1 × 2 × 3, which does not broadcast"),
      OperatorSample(
        "too few values", layer([3], [1, 2]), inputs: [[1, 3, 2, 2]], failure: "bias"),
    ]
  }

  private static func layer(_ shape: [UInt64], _ bias: [Float]) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .bias(
        .making {
          $0.shape = shape
          $0.bias = Spec.WeightParams(bias)
        }))
  }
}
