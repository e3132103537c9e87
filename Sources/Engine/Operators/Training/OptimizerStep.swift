import Graph

/// One step of an optimiser, for one tensor of parameters.
///
/// The symbols are: p, the parameters; g, their gradient; (η, c), the schedule of the step. The state is v for SGD; for
/// Adam it is m and v.
///
///     SGD with momentum μ:   v' = μ v − η g         p' = p + v'
///     Adam (β₁, β₂, ε):      m' = β₁ m + (1 − β₁) g    v' = β₂ v + (1 − β₂) g²
///                            p' = p − η m' / (√(c v') + ε)
///
/// For SGD, η is the learning rate, and c is not used. For Adam, the caller includes the bias correction of step t in
/// the schedule: η = learning rate / (1 − β₁ᵗ) and c = 1 / (1 − β₂ᵗ).
///
/// - Inputs: p, g, the state's tensors (one for SGD, two for Adam) and the schedule. The schedule is `[2]`, and all
///   other inputs have one shape.
/// - Outputs: p' and the new state. All inputs and outputs are float32.
///
/// Only trainers add this operator to a graph. No model file contains it.
///
/// **Source:** Polyak (1964); Kingma and Ba, arXiv:1412.6980; `SGDOptimizer` and `AdamOptimizer`.
public struct OptimizerStepOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "OptimizerStep", summary: "one step of SGD with momentum or of Adam")

  /// The update rule of the parameters.
  public enum Rule: Sendable, Hashable {
    /// Stochastic gradient descent with momentum. A momentum of 0 gives plain gradient descent.
    case sgd(momentum: Float)
    /// Adam. Its state is two tensors: estimates of the gradient's first and second moments.
    case adam(beta1: Float, beta2: Float, epsilon: Float)

    /// The number of state tensors per tensor of parameters.
    public var stateCount: Int { if case .sgd = self { return 1 } else { return 2 } }
  }

  /// The update rule of the parameters.
  public var rule: Rule

  /// Creates a step of an update rule.
  public init(rule: Rule) { self.rule = rule }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = 3 + rule.stateCount
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let shape = inputs[0].shape
    guard inputs.dropFirst().dropLast().allSatisfy({ $0.shape.count == shape.count }),
      inputs[expected - 1].shape.count == 2
    else {
      throw EngineError(
        .invalidInput,
        "the inputs are \(inputs.map(\.shape)), expected tensors of one shape and a schedule of 2.")
    }
    return [TensorType](repeating: TensorType(shape), count: 1 + rule.stateCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let schedule = inputs[inputs.count - 1].values
    var outputs = [ReferenceTensor](
      repeating: ReferenceTensor(inputs[0].shape), count: 1 + rule.stateCount)
    for index in inputs[0].values.indices {
      let (p, g, first) = (
        inputs[0].values[index], inputs[1].values[index], inputs[2].values[index]
      )
      switch rule {
      case .sgd(let momentum):
        let velocity: Double = Double(momentum) * first - schedule[0] * g
        outputs[0].values[index] = p + velocity
        outputs[1].values[index] = velocity
      case .adam(let beta1, let beta2, let epsilon):
        let (b1, b2) = (Double(beta1), Double(beta2))
        let m: Double = b1 * first + (1 - b1) * g
        let v: Double = b2 * inputs[3].values[index] + (1 - b2) * g * g
        let root: Double = (schedule[1] * v).squareRoot() + Double(epsilon)
        outputs[0].values[index] = p - schedule[0] * m / root
        outputs[1].values[index] = m
        outputs[2].values[index] = v
      }
    }
    return outputs
  }

}
