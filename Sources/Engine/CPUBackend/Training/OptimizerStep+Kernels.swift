import Backends
import Operators

extension OptimizerStepOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native optimiser step") { request in
        let shape = request.inputs[0].shape
        let step = NativeOptimizerStep(rule, count: shape.count)
        return Kernel(
          step, inputs: request.inputs.map { TensorDescriptor($0.shape) },
          outputs: request.outputs.map { TensorDescriptor($0.shape) }, inPlaceInput: 0,
          readsElementwise: true)
      }
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
    // Safe: all tensors hold `count` floats, except the schedule, which holds two floats. Outputs may overlap the
    // parameters, because each element is read before it is written.
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
