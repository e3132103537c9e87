import NeuralNetworkFormat
import Graph
import ModelFormat

/// Returns samples of an operator with any number of inputs. The answers are computed by hand.
func foldingSamples(
  _ layer: Spec.NeuralNetworkLayer, of first: [Double], and second: [Double], give answer: [Double]
) -> [OperatorSample] {
  let shape = Shape([first.count])
  return [
    OperatorSample(
      "two inputs", layer, inputs: [(shape, .values(first)), (shape, .values(second))],
      expected: [ReferenceTensor(shape, answer)]),
    OperatorSample("three inputs", layer, inputs: [[2, 7, 5], [2, 7, 5], [2, 7, 5]]),
    OperatorSample(
      "more inputs than a fused program supports", layer,
      inputs: [Shape](repeating: [3, 5], count: 11), tolerance: .accumulation),
    OperatorSample(
      "no inputs", layer, inputs: [Shape](), failure: "has 0 inputs, expected at least 1"),
  ]
}

/// Returns samples of two inputs: broadcasts that occur in real networks, and incompatible shapes.
func broadcastingSamples(
  _ layer: Spec.NeuralNetworkLayer, fill: OperatorSample.Fill = .uniform(-2...2),
  tolerance: OperatorSample.Tolerance = .rounding
) -> [OperatorSample] {
  let pairs: [(String, Shape, Shape)] = [
    ("a residual", [1, 32, 21, 19], [1, 32, 21, 19]),
    ("one value per channel", [1, 32, 21, 19], [1, 32, 1, 1]),
    ("one value per channel, first input", [1, 5, 1, 1], [1, 5, 9, 70]),
    ("one value per batch element", [3, 4, 5, 6], [3, 1, 1, 1]),
    ("one value per pixel", [2, 3, 5, 7], [2, 1, 5, 7]),
    ("one value", [2, 3, 5, 7], [1]),
    ("a row", [2, 3, 5, 7], [7]),
    ("both stretched", [4, 1, 6], [5, 1]),
    ("five dimensions", [2, 1, 3, 1, 5], [2, 2, 1, 4, 1]),
    ("a long row", [3, 2500], [3, 1]),
  ]
  let good: [OperatorSample] = pairs.map { name, first, second in
    OperatorSample(
      name, layer, mapping: first.rank == 5 ? .rank5 : .exact, inputs: [first, second],
      fill: fill, tolerance: tolerance)
  }
  return good + [
    OperatorSample(
      "incompatible shapes", layer, inputs: [[2, 3], [2, 4]], fill: fill,
      failure: "input 2 has the shape 2 × 4, which cannot be broadcast against 2 × 3")
  ]
}
