import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ActivationOperator: SampledOperator {
  public static var samples: [OperatorSample] { answers + shapes + channels + failures }

  /// Samples with the inputs −2, −0.5, 0, 0.25 and 3. NumPy 1.26 computed the answers in float64.
  private static var answers: [OperatorSample] {
    typealias Kind = Spec.ActivationParams.OneOfNonlinearityType
    let table: [(String, Kind, [Double])] = [
      ("linear", .linear(.with(2, 1)), [-3, 0, 1, 1.5, 7]),
      ("ReLU", .reLU(.init()), [0, 0, 0, 0.25, 3]),
      ("leaky ReLU", .leakyReLU(.with(0.25)), [-0.5, -0.125, 0, 0.25, 3]),
      ("thresholded ReLU", .thresholdedReLU(.with(0.25)), [0, 0, 0, 0.25, 3]),
      ("negative threshold", .thresholdedReLU(.with(-0.5)), [0, -0.5, 0, 0.25, 3]),
      ("shared PReLU", .pReLU(.with([0.5])), [-1, -0.25, 0, 0.25, 3]),
      (
        "tanh", .tanh(.init()),
        [-0.964027580075817, -0.462117157260010, 0, 0.244918662403709, 0.995054753686730]
      ),
      (
        "scaled tanh", .scaledTanh(.with(2, 0.5)),
        [-1.52318831191153, -0.489837324807418, 0, 0.248706003543192, 1.810296507289733]
      ),
      (
        "sigmoid", .sigmoid(.init()),
        [0.119202922022118, 0.377540668798145, 0.5, 0.562176500885798, 0.952574126822433]
      ),
      ("hard sigmoid", .sigmoidHard(.with(0.25, 0.5)), [0, 0.375, 0.5, 0.5625, 1]),
      ("ELU", .elu(.with(2)), [-1.72932943352677, -0.786938680574733, 0, 0.25, 3]),
      (
        "softsign", .softsign(.init()),
        [-0.666666666666667, -0.333333333333333, 0, 0.2, 0.75]
      ),
      (
        "softplus", .softplus(.init()),
        [
          0.126928011042973, 0.474076984180107, 0.693147180559945, 0.825939419878844,
          3.048587351573742,
        ]
      ),
      (
        "shared parametric softplus", .parametricSoftplus(.with([0.5], [2])),
        [
          0.009074963958905, 0.156630843759111, 0.346573590279973, 0.487038488090053,
          3.001237842568865,
        ]
      ),
    ]
    return table.map { name, kind, answer in
      OperatorSample(
        name, .activation(kind), inputs: [([5], .values([-2, -0.5, 0, 0.25, 3]))],
        expected: [ReferenceTensor([5], answer)], tolerance: .accumulation)
    }
  }

  private static var shapes: [OperatorSample] {
    [
      OperatorSample(
        "feature maps of a style network", .activation(.reLU(.init())), inputs: [[1, 32, 40, 36]],
        tolerance: .exact),
      OperatorSample(
        "odd sizes in five dimensions", .activation(.tanh(.init())), mapping: .rank5,
        inputs: [([2, 1, 5, 7, 3], .uniform(-4...4))], tolerance: .accumulation),
      OperatorSample(
        "far from zero", .activation(.softplus(.init())), inputs: [([301], .uniform(-60...60))],
        tolerance: .accumulation),
      OperatorSample(
        "exponentials of large magnitude", .activation(.elu(.with(1))),
        inputs: [([301], .uniform(-110...10))], tolerance: .accumulation),
      OperatorSample("one element", .activation(.sigmoid(.init())), inputs: [[1]]),
      OperatorSample("no elements", .activation(.sigmoid(.init())), inputs: [[0, 3]]),
    ]
  }

  private static var channels: [OperatorSample] {
    [
      OperatorSample(
        "PReLU by channel", .activation(.pReLU(.with([0.5, -1, 2]))),
        inputs: [([3, 1, 2], .values([-1, 1, -2, 2, -3, 3]))],
        expected: [ReferenceTensor([3, 1, 2], [-0.5, 1, 2, 2, -6, 3])]),
      OperatorSample(
        "PReLU per channel on an image", .activation(.pReLU(.random(5))), inputs: [[2, 5, 9, 11]]),
      OperatorSample(
        "parametric softplus per channel",
        .activation(.parametricSoftplus(.with([0.5, 1], [2, -1]))),
        inputs: [([2, 1, 1], .values([0.25, 0.5]))],
        expected: [ReferenceTensor([2, 1, 1], [0.487038488090053, 0.474076984180107])],
        tolerance: .accumulation),
      OperatorSample(
        "parametric softplus with a shared beta",
        .activation(.parametricSoftplus(.with([0.5, 1, 2, 3], [0.5]))), mapping: .rank5,
        inputs: [[1, 2, 4, 5, 3]], tolerance: .accumulation),
    ]
  }

  private static var failures: [OperatorSample] {
    [
      OperatorSample(
        "parameters for another number of channels", .activation(.pReLU(.with([1, 2]))),
        inputs: [[3, 4, 4]],
        failure: "the input has 3 channels (3 × 4 × 4), expected 2"),
      OperatorSample(
        "parameters without channels", .activation(.pReLU(.with([1, 2]))), inputs: [[2]],
        failure: "expected rank 3 or more, because the parameters are for 2 channels"),
      OperatorSample(
        "no parameters", .activation(.pReLU(.init())), inputs: [[2, 1, 1]],
        failure: "alpha holds no values"),
      OperatorSample(
        "parameters of different lengths",
        .activation(.parametricSoftplus(.with([1, 2], [1, 2, 3]))),
        inputs: [[2, 1, 1]], failure: "alpha holds 2 values and beta 3"),
      OperatorSample(
        "no nonlinearity", Spec.NeuralNetworkLayer(.activation(.init())), inputs: [[2]],
        failure: "names no activation function"),
    ]
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates an activation layer.
  fileprivate static func activation(_ kind: Spec.ActivationParams.OneOfNonlinearityType)
    -> Spec.NeuralNetworkLayer
  {
    var parameters = Spec.ActivationParams()
    parameters.nonlinearityType = kind
    return Spec.NeuralNetworkLayer(.activation(parameters))
  }
}

extension Spec.ActivationLinear {
  fileprivate static func with(_ alpha: Float, _ beta: Float) -> Self {
    var result = Self()
    (result.alpha, result.beta) = (alpha, beta)
    return result
  }
}

extension Spec.ActivationScaledTanh {
  fileprivate static func with(_ alpha: Float, _ beta: Float) -> Self {
    var result = Self()
    (result.alpha, result.beta) = (alpha, beta)
    return result
  }
}

extension Spec.ActivationSigmoidHard {
  fileprivate static func with(_ alpha: Float, _ beta: Float) -> Self {
    var result = Self()
    (result.alpha, result.beta) = (alpha, beta)
    return result
  }
}

extension Spec.ActivationLeakyReLU {
  fileprivate static func with(_ alpha: Float) -> Self {
    var result = Self()
    result.alpha = alpha
    return result
  }
}

extension Spec.ActivationThresholdedReLU {
  fileprivate static func with(_ alpha: Float) -> Self {
    var result = Self()
    result.alpha = alpha
    return result
  }
}

extension Spec.ActivationELU {
  fileprivate static func with(_ alpha: Float) -> Self {
    var result = Self()
    result.alpha = alpha
    return result
  }
}

extension Spec.ActivationPReLU {
  fileprivate static func with(_ alpha: [Float]) -> Self {
    var result = Self()
    result.alpha = Spec.WeightParams(alpha)
    return result
  }

  fileprivate static func random(_ count: Int) -> Self {
    var result = Self()
    result.alpha = Spec.WeightParams.random(count)
    return result
  }
}

extension Spec.ActivationParametricSoftplus {
  fileprivate static func with(_ alpha: [Float], _ beta: [Float]) -> Self {
    var result = Self()
    result.alpha = Spec.WeightParams(alpha)
    result.beta = Spec.WeightParams(beta)
    return result
  }
}
