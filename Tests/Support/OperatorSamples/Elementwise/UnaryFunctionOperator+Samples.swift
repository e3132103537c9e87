import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators

/// A function with the range of its test arguments, and with answers that were computed independently.
private struct UnaryFunctionCases {
  var function: UnaryFunction
  /// The range of the test arguments.
  var domain: ClosedRange<Double>
  /// Arguments, and the values of the function that Python’s math module computed in float64.
  var answers: [(Double, Double)]

  init(
    _ function: UnaryFunction, _ domain: ClosedRange<Double>, _ answers: [(Double, Double)]
  ) {
    self.function = function
    self.domain = domain
    self.answers = answers
  }

  /// The cases of those functions in the function table that a layer computes.
  static let all: [UnaryFunctionCases] = [
    UnaryFunctionCases(.logicalNot, -3...3, [(0, 1), (1, 0), (-2, 0)]),
    UnaryFunctionCases(
      .sine, -10...10, [(-1, -0.8414709848078965), (0, 0), (2, 0.9092974268256817)]),
    UnaryFunctionCases(
      .cosine, -10...10, [(-1, 0.5403023058681398), (0, 1), (2, -0.4161468365471424)]),
    UnaryFunctionCases(
      .tangent, -1.5...1.5, [(-1, -1.5574077246549023), (0, 0), (2, -2.185039863261519)]),
    UnaryFunctionCases(
      .inverseSine, -1...1, [(-1, -1.5707963267948966), (0, 0), (0.5, 0.5235987755982989)]),
    UnaryFunctionCases(
      .inverseCosine, -1...1,
      [(-1, 3.141592653589793), (0, 1.5707963267948966), (0.5, 1.0471975511965979)]),
    UnaryFunctionCases(
      .inverseTangent, -5...5, [(-1, -0.7853981633974483), (0, 0), (2, 1.1071487177940904)]),
    UnaryFunctionCases(
      .hyperbolicSine, -3...3, [(-1, -1.1752011936438014), (0, 0), (2, 3.626860407847019)]),
    UnaryFunctionCases(
      .hyperbolicCosine, -3...3, [(-1, 1.5430806348152437), (0, 1), (2, 3.7621956910836314)]),
    UnaryFunctionCases(
      .tanh, -4...4, [(-1, -0.7615941559557649), (0, 0), (2, 0.9640275800758169)]),
    UnaryFunctionCases(
      .inverseHyperbolicSine, -5...5, [(-1, -0.881373587019543), (0, 0), (2, 1.4436354751788103)]),
    UnaryFunctionCases(
      .inverseHyperbolicCosine, 1...5, [(1, 0), (1.5, 0.9624236501192069), (3, 1.762747174039086)]),
    UnaryFunctionCases(
      .inverseHyperbolicTangent, -0.9...0.9,
      [(-0.5, -0.5493061443340548), (0, 0), (0.75, 0.9729550745276566)]),
    UnaryFunctionCases(.powerOfTwo, -6...6, [(-3, 0.125), (0, 1), (4, 16)]),
    UnaryFunctionCases(
      .errorFunction, -3...3, [(-1, -0.8427007929497149), (0, 0), (2, 0.9953222650189527)]),
    UnaryFunctionCases(.sign, -1...1, [(-2, -1), (0, 0), (0.5, 1)]),
    UnaryFunctionCases(.round, -9...9, [(-1.5, -2), (0.5, 0), (2.5, 2)]),
    UnaryFunctionCases(.ceiling, -9...9, [(-1.5, -1), (0, 0), (2.25, 3)]),
    UnaryFunctionCases(.floor, -9...9, [(-1.5, -2), (0, 0), (2.25, 2)]),
  ]

  /// The cases of those functions in the function table that no layer computes.
  static let withoutLayer: [UnaryFunctionCases] = [
    UnaryFunctionCases(.exponential, -3...3, [(-1, 0.36787944117144233), (0, 1)]),
    UnaryFunctionCases(.logarithm, 0.1...9, [(1, 0), (2, 0.6931471805599453)]),
    UnaryFunctionCases(.squareRoot, 0.1...9, [(0.25, 0.5), (9, 3)]),
    UnaryFunctionCases(.inverse, 0.5...4, [(-2, -0.5), (4, 0.25)]),
    UnaryFunctionCases(.magnitude, -3...3, [(-2, 2), (0.5, 0.5)]),
    UnaryFunctionCases(.sigmoid, -6...6, [(0, 0.5), (2, 0.8807970779778823)]),
    UnaryFunctionCases(.softplus, -6...6, [(0, 0.6931471805599453), (-1, 0.31326168751822286)]),
  ]
}

extension UnaryFunctionOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let layers = Dictionary(
      uniqueKeysWithValues: UnaryFunctionLayer.all.map { ($0.function, $0.layer) })
    let ofLayers: [OperatorSample] = UnaryFunctionCases.all.flatMap { cases -> [OperatorSample] in
      guard let layer = layers[cases.function] else {
        preconditionFailure("\(cases.function.name) has no layer")
      }
      return samples(of: Spec.NeuralNetworkLayer(layer), cases)
    }
    return ofLayers + UnaryFunctionCases.withoutLayer.flatMap(samples(withoutLayer:))
  }

  private static func samples(of layer: Spec.NeuralNetworkLayer, _ cases: UnaryFunctionCases)
    -> [OperatorSample]
  {
    let shape = Shape([cases.answers.count])
    let name: String = cases.function.name
    return [
      OperatorSample(
        "\(name): known values", layer, inputs: [(shape, .values(cases.answers.map(\.0)))],
        expected: [ReferenceTensor(shape, cases.answers.map(\.1))], tolerance: .accumulation),
      OperatorSample(
        "\(name): a picture", layer, inputs: [([1, 7, 11, 13], .uniform(cases.domain))],
        tolerance: .accumulation),
      OperatorSample(
        "\(name): five dimensions", layer, mapping: .rank5,
        inputs: [([2, 1, 3, 5, 4], .uniform(cases.domain))], tolerance: .accumulation),
      OperatorSample(
        "\(name): two inputs", layer, inputs: [[2], [2]], failure: "has 2 inputs, expected 1"),
    ]
  }

  private static func samples(withoutLayer cases: UnaryFunctionCases) -> [OperatorSample] {
    let shape = Shape([cases.answers.count])
    let operation = UnaryFunctionOperator(cases.function)
    return [
      OperatorSample(
        "\(operation.name): known values", derived: operation,
        inputs: [(shape, .values(cases.answers.map(\.0)))],
        expected: [ReferenceTensor(shape, cases.answers.map(\.1))], tolerance: .accumulation),
      OperatorSample(
        "\(operation.name): a picture", derived: operation,
        inputs: [([1, 7, 11, 13], .uniform(cases.domain))], tolerance: .accumulation),
    ]
  }
}
