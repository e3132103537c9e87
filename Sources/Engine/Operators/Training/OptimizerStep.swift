import Graph

/// One step of an optimiser for one tensor of parameters.
///
/// With the gradient g, the step's schedule (η, c) and the state:
///
///     SGD with momentum μ:   v' = μ v − η g         p' = p + v'
///     Adam (β₁, β₂, ε):      m' = β₁ m + (1 − β₁) g    v' = β₂ v + (1 − β₂) g²
///                            p' = p − η m' / (√(c v') + ε)
///
/// For Adam the caller corrects the bias through the schedule: η = rate / (1 − β₁ᵗ), c = 1 / (1 − β₂ᵗ).
///
/// - Inputs: p, g and the state's tensors (one for SGD, two for Adam), all of one shape; the schedule, `[2]`.
/// - Outputs: p' and the new state. All float32.
///
/// Made by trainers only.
///
/// **Source:** Polyak (1964); Kingma and Ba, arXiv:1412.6980; `SGDOptimizer` and `AdamOptimizer`.
public struct OptimizerStepOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "OptimizerStep", summary: "one step of SGD with momentum or of Adam")

  /// How parameters follow gradients.
  public enum Rule: Sendable, Hashable {
    /// With momentum; 0 for none.
    case sgd(momentum: Float)
    /// Moments of first and second order.
    case adam(beta1: Float, beta2: Float, epsilon: Float)

    /// The number of tensors that the optimiser remembers of each tensor of parameters.
    public var stateCount: Int { if case .sgd = self { return 1 } else { return 2 } }
  }

  /// How parameters follow gradients.
  public var rule: Rule

  /// A step of a rule.
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
