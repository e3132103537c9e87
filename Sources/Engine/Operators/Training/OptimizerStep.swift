import CKernels
import Backends
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
public struct OptimizerStepOperator: DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "OptimizerStep", specification: nil, summary: "one step of SGD with momentum or of Adam")

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

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native step") { request in
        let shape = request.inputs[0].shape
        let step = NativeOptimizerStep(rule, count: shape.count)
        return Kernel(
          step, inputs: request.inputs.map { TensorDescriptor($0.shape) },
          outputs: request.outputs.map { TensorDescriptor($0.shape) }, inPlaceInput: 0,
          readsElementwise: true)
      }
    ]
  }

  public static var samples: [OperatorSample] {
    let adam = OptimizerStepOperator(rule: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8))
    let sgd = OptimizerStepOperator(rule: .sgd(momentum: 0.5))
    let positive: OperatorSample.Fill = .uniform(0.1...1)
    let any: OperatorSample.Fill = .uniform(-1...1)
    return [
      // By hand.
      OperatorSample(
        "gradient descent with momentum", derived: sgd,
        inputs: [
          ([2], .values([1, 2])), ([2], .values([10, -10])), ([2], .values([1, 0])),
          ([2], .values([0.1, 0])),
        ], outputs: 2,
        expected: [ReferenceTensor([2], [0.5, 3]), ReferenceTensor([2], [-0.5, 1])]),
      // By hand: the first step of Adam moves by the rate.
      OperatorSample(
        "the first step of Adam",
        derived: OptimizerStepOperator(rule: .adam(beta1: 0.5, beta2: 0.75, epsilon: 0)),
        inputs: [
          ([2], .values([1, 1])), ([2], .values([4, -8])), ([2], .values([0, 0])),
          ([2], .values([0, 0])), ([2], .values([0.2, 4])),
        ], outputs: 3,
        expected: [
          ReferenceTensor([2], [0.9, 1.1]), ReferenceTensor([2], [2, -4]),
          ReferenceTensor([2], [4, 16]),
        ]),
      OperatorSample(
        "many parameters", derived: adam,
        inputs: [
          ([7, 3, 31], any), ([7, 3, 31], any), ([7, 3, 31], any), ([7, 3, 31], positive),
          ([2], .values([0.01, 1.5])),
        ], outputs: 3),
      OperatorSample(
        "another count", derived: sgd,
        inputs: [([2], any), ([3], any), ([2], any), ([2], any)], outputs: 2,
        failure: "expected tensors of one shape and a schedule of 2"),
    ]
  }
}

/// Computes the rule element by element, on the thread that runs the plan.
private final class NativeOptimizerStep: Step, @unchecked Sendable {
  private let rule: OptimizerStepOperator.Rule
  private let count: Int

  init(_ rule: OptimizerStepOperator.Rule, count: Int) {
    self.rule = rule
    self.count = count
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: all tensors hold `count` floats, the schedule two. Outputs may lie over the parameters: each
    // element is read before it is written.
    func floats(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
      pointer.assumingMemoryBound(to: Float.self)
    }
    let parameters = floats(memory.inputs[0])
    let gradient = floats(memory.inputs[1])
    let first = floats(memory.inputs[2])
    let (newParameters, newFirst) = (floats(memory.outputs[0]), floats(memory.outputs[1]))
    switch rule {
    case .sgd(let momentum):
      let rate: Float = floats(memory.inputs[3])[0]
      for index in 0..<count {
        let velocity: Float = momentum * first[index] - rate * gradient[index]
        newFirst[index] = velocity
        newParameters[index] = parameters[index] + velocity
      }
    case .adam(let beta1, let beta2, let epsilon):
      let second = floats(memory.inputs[3])
      let newSecond = floats(memory.outputs[2])
      let (rate, correction) = (floats(memory.inputs[4])[0], floats(memory.inputs[4])[1])
      for index in 0..<count {
        let g: Float = gradient[index]
        let m: Float = beta1 * first[index] + (1 - beta1) * g
        let v: Float = beta2 * second[index] + (1 - beta2) * g * g
        newFirst[index] = m
        newSecond[index] = v
        newParameters[index] =
          parameters[index] - rate * m / ((correction * v).squareRoot() + epsilon)
      }
    }
  }
}
