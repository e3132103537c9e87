import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension DotOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func dot(_ isCosine: Bool) -> Spec.NeuralNetworkLayer {
      var message = Spec.DotProductLayerParams()
      message.cosineSimilarity = isCosine
      return Spec.NeuralNetworkLayer(.dot(message))
    }
    // By hand: the dot product is 1 · 3 + 2 · 4 = 11. The cosine similarity is (3 · 4 + 4 · 3) / (5 · 5) = 24 / 25,
    // where 5 is the length of each vector.
    return [
      OperatorSample(
        "dot product", dot(false),
        inputs: [([2, 1, 1], .values([1, 2])), ([2, 1, 1], .values([3, 4]))],
        expected: [ReferenceTensor([1, 1, 1], [11])]),
      OperatorSample(
        "cosine similarity", dot(true), mapping: .rank5,
        inputs: [([1, 1, 2, 1, 1], .values([3, 4])), ([1, 1, 2, 1, 1], .values([4, 3]))],
        expected: [ReferenceTensor([1, 1, 1, 1, 1], [0.96])]),
      OperatorSample(
        "a vector of zeros", dot(true),
        inputs: [([2, 1, 1], .values([0, 0])), ([2, 1, 1], .values([4, 3]))],
        expected: [ReferenceTensor([1, 1, 1], [0])]),
      OperatorSample(
        "a batch", dot(true), inputs: [[5, 33, 1, 1], [5, 33, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "one vector with many", dot(true), inputs: [[1, 64, 1, 1], [300, 64, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "broadcast both ways", dot(false), inputs: [[3, 1, 70, 1, 1], [1, 5, 70, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "pictures", dot(false), inputs: [[2, 3, 3], [2, 3, 3]],
        failure: "input 1 has the shape 2 × 3 × 3, expected rank 3 or more and 1 × 1 at the end"),
      OperatorSample(
        "different lengths", dot(false), inputs: [[2, 1, 1], [1, 1, 1]],
        failure: "the vectors have 2 and 1 values, expected equal numbers"),
      OperatorSample(
        "one input", dot(false), inputs: [[2, 1, 1]], failure: "has 1 inputs, expected 2"),
    ]
  }
}
