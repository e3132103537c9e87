import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension AddOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func add(_ alpha: Float = 0) -> Spec.NeuralNetworkLayer {
      var message = Spec.AddLayerParams()
      message.alpha = alpha
      return Spec.NeuralNetworkLayer(.add(message))
    }
    return foldingSamples(add(), of: [1, 2, 3], and: [10, 20, 30], give: [11, 22, 33])
      + broadcastingSamples(add()) + [
        OperatorSample(
          "a number", add(0.5), inputs: [([3], .values([1, 2, 3]))],
          expected: [ReferenceTensor([3], [1.5, 2.5, 3.5])]),
        OperatorSample(
          "alpha is ignored with two inputs", add(0.5),
          inputs: [([1], .values([1])), ([1], .values([2]))],
          expected: [ReferenceTensor([1], [3])]),
      ]
  }
}

extension MultiplyOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func multiply(_ alpha: Float = 0) -> Spec.NeuralNetworkLayer {
      var message = Spec.MultiplyLayerParams()
      message.alpha = alpha
      return Spec.NeuralNetworkLayer(.multiply(message))
    }
    return foldingSamples(multiply(), of: [1, 2, 3], and: [2, 4, -1], give: [2, 8, -3])
      + broadcastingSamples(multiply()) + [
        OperatorSample(
          "a number", multiply(0.5), inputs: [([3], .values([1, 2, 3]))],
          expected: [ReferenceTensor([3], [0.5, 1, 1.5])]),
        OperatorSample(
          "weights of many styles", multiply(), mapping: .rank5,
          inputs: [[5, 1, 1, 1, 1], [5, 1, 9, 1, 1]]),
      ]
  }
}

extension AverageOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.average(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 6, -3], give: [2, 4, 0])
      + broadcastingSamples(layer)
  }
}

extension MaxOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.max(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 1, 3], give: [3, 2, 3])
      + broadcastingSamples(layer) + [oneIsNaN(layer, gives: 4)]
  }
}

extension MinOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.min(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 1, 3], give: [1, 1, 3])
      + broadcastingSamples(layer) + [oneIsNaN(layer, gives: 3)]
  }
}

/// Returns a sample with three pairs of operands. In the first pair, the first operand is NaN. In the second pair, the
/// second operand is NaN. The third pair has no NaN.
private func oneIsNaN(_ layer: Spec.NeuralNetworkLayer, gives number: Double) -> OperatorSample {
  OperatorSample(
    "one is NaN", layer,
    inputs: [([3], .values([.nan, 1, 3])), ([3], .values([1, .nan, 4]))],
    expected: [ReferenceTensor([3], [.nan, .nan, number])], tolerance: .exact)
}
