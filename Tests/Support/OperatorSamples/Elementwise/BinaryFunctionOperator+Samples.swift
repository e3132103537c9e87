import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators

/// A function of two numbers, with the range of its test values, and with answers that were computed by hand.
private struct BinaryFunctionCases {
  var function: BinaryFunction
  /// The values that fill the inputs.
  var fill: OperatorSample.Fill
  /// The tolerance of the fast kernel.
  var tolerance: OperatorSample.Tolerance
  /// Each triple has two operands and the result of the function.
  var answers: [(Double, Double, Double)]

  init(
    _ function: BinaryFunction, fill: OperatorSample.Fill = .uniform(-2...2),
    tolerance: OperatorSample.Tolerance = .rounding, _ answers: [(Double, Double, Double)]
  ) {
    self.function = function
    self.fill = fill
    self.tolerance = tolerance
    self.answers = answers
  }

  /// The cases of arithmetic and logical functions.
  static let all: [BinaryFunctionCases] = [
    BinaryFunctionCases(.add, [(1, 2, 3), (-1, 1, 0)]),
    BinaryFunctionCases(.subtract, [(1, 2, -1), (-1, 1, -2)]),
    BinaryFunctionCases(.multiply, [(1, 2, 2), (-1, 1, -1)]),
    BinaryFunctionCases(.divide, fill: .uniform(0.5...2), [(1, 2, 0.5), (-1, 4, -0.25)]),
    BinaryFunctionCases(.maximum, [(1, 2, 2), (1, -1, 1)]),
    BinaryFunctionCases(.minimum, [(1, 2, 1), (1, -1, -1)]),
    BinaryFunctionCases(
      .modulo, fill: .uniform(0.5...4), tolerance: .accumulation,
      [(7, 3, 1), (-7, 3, 2), (7, -3, -2), (5.5, 2, 1.5)]),
    BinaryFunctionCases(
      .floorDivide, fill: .uniform(0.5...4), [(7, 3, 2), (-7, 3, -3), (7, -3, -3), (5.5, 2, 2)]),
    BinaryFunctionCases(
      .power, fill: .uniform(0.5...2), tolerance: .accumulation,
      [(2, 3, 8), (9, 0.5, 3), (2, -1, 0.5)]),
    BinaryFunctionCases(
      .logicalAnd, fill: .integers(0...1), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)]),
    BinaryFunctionCases(
      .logicalOr, fill: .integers(0...1), [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)]),
    BinaryFunctionCases(
      .logicalXor, fill: .integers(0...1), [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]),
  ]

  /// For each comparison: its results for the pairs (1, 2), (2, 2), (3, 2) and (−1, −1).
  static let comparisons: [(BinaryFunction, [Double])] = [
    (.isEqual, [0, 1, 0, 1]), (.isNotEqual, [1, 0, 1, 0]), (.isLess, [1, 0, 0, 0]),
    (.isAtMost, [1, 1, 0, 1]), (.isGreater, [0, 0, 1, 0]), (.isAtLeast, [0, 1, 1, 1]),
  ]
}

extension BinaryFunctionOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    BinaryFunctionCases.all.flatMap(samples(of:))
      + BinaryFunctionCases.comparisons.flatMap { samples(comparison: $0, answers: $1) }
      + derivedSamples
  }

  private static func samples(of cases: BinaryFunctionCases) -> [OperatorSample] {
    let layer = layer(cases.function)
    let shape = Shape([cases.answers.count])
    let known = OperatorSample(
      "known values", layer,
      inputs: [
        (shape, .values(cases.answers.map(\.0))), (shape, .values(cases.answers.map(\.1))),
      ],
      expected: [ReferenceTensor(shape, cases.answers.map(\.2))], tolerance: .accumulation)
    let failure = OperatorSample(
      "one input", layer, inputs: [[2]], failure: "has 1 inputs, expected 2")
    return named(
      cases.function,
      [known, failure] + broadcastingSamples(layer, fill: cases.fill, tolerance: cases.tolerance))
  }

  private static func samples(comparison function: BinaryFunction, answers: [Double])
    -> [OperatorSample]
  {
    let left: [Double] = [1, 2, 3, -1]
    let right: [Double] = [2, 2, 2, -1]
    // These are the answers if every right operand is 2. Only the last pair changes then: it is (−1, 2), not (−1, −1).
    // Its answer is that of the first pair (1, 2), because in both pairs the left operand is less than the right one.
    let numbers: [Double] = answers.dropLast() + [answers[0]]
    let layer = layer(function, 0)
    return named(
      function,
      [
        OperatorSample(
          "two inputs", layer, inputs: [([4], .values(left)), ([4], .values(right))],
          expected: [ReferenceTensor([4], answers)], tolerance: .exact),
        OperatorSample(
          "an input and a number", self.layer(function, 2),
          inputs: [([2, 2], .values(left))], expected: [ReferenceTensor([2, 2], numbers)],
          tolerance: .exact),
        OperatorSample(
          "alpha is ignored with two inputs", self.layer(function, 7),
          inputs: [([4], .values(left)), ([4], .values(right))],
          expected: [ReferenceTensor([4], answers)], tolerance: .exact),
        OperatorSample(
          "three inputs", layer, inputs: [[2], [2], [2]],
          failure: "has 3 inputs, expected 1 to 2"),
      ] + broadcastingSamples(layer, fill: .integers(-1...1), tolerance: .exact))
  }

  /// Samples of operators that no layer of a model describes.
  private static var derivedSamples: [OperatorSample] {
    [
      // Computed by hand.
      OperatorSample(
        "a gate", derived: BinaryFunctionOperator(.gate),
        inputs: [([3], .values([5, 6, 7])), ([3], .values([1, 0, -1]))],
        expected: [ReferenceTensor([3], [5, 0, 0])], tolerance: .exact),
      OperatorSample(
        "less a number", derived: BinaryFunctionOperator(.subtract, number: 2),
        inputs: [([3], .values([5, 6, 7]))], expected: [ReferenceTensor([3], [3, 4, 5])]),
    ]
  }

  private static func layer(_ function: BinaryFunction, _ number: Float? = nil)
    -> Spec.NeuralNetworkLayer
  {
    guard let row = BinaryFunctionLayer.all.first(where: { $0.function == function }),
      let layer = row.layer(number)
    else { preconditionFailure("\(function.name) has no layer") }
    return Spec.NeuralNetworkLayer(layer)
  }

  /// Returns the samples with the name of the function added to their names.
  private static func named(_ function: BinaryFunction, _ samples: [OperatorSample])
    -> [OperatorSample]
  {
    samples.map { sample in
      var named = sample
      named.name = "\(function.name): \(sample.name)"
      return named
    }
  }
}
