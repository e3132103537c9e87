import Backends
import Graph
import Operators

extension PackedWeights {
  /// Packs a constant as dense `float32`.
  func floats(_ constant: Constant) -> PackedWeight {
    tensor(constant, as: TensorDescriptor(constant.shape))
  }
}

extension PointwiseProgram {
  /// The program `x · scale + bias`, whose inputs are x, scale and bias.
  static var affine: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 3)
    let product: Int = program.append(.multiply, 0, 1)
    _ = program.append(.add, product, 2)
    return program
  }
}

extension KernelRequest {
  /// Makes the kernel of a program. The kernel reads the first input and then these constants, but no other inputs.
  func kernel(_ program: PointwiseProgram, operands: [Constant]) throws -> Kernel? {
    let inner = KernelRequest(
      name: name, inputs: [inputs[0]] + operands.map { TensorDescriptor($0.shape) },
      outputs: outputs, precision: precision, isTolerant: isTolerant, processor: processor,
      threads: threads, weights: weights)
    guard var kernel = try program.kernel(for: inner) else { return nil }
    let packed: [PackedWeight] = operands.map { weights.floats($0) }
    kernel.step = PackedOperandsStep(kernel.step, packed)
    kernel.inputs = [kernel.inputs[0]] + inputs.dropFirst().map { _ in nil }
    kernel.weights = packed
    return kernel
  }
}

/// Runs a step whose operands are the first input and packed weights.
private final class PackedOperandsStep: Step, @unchecked Sendable {
  private let step: Step
  private let operands: [PackedWeight]

  init(_ step: Step, _ operands: [PackedWeight]) {
    self.step = step
    self.operands = operands
  }

  override var detail: String { step.detail }

  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }

  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    // There are only a few pointers, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer.self, capacity: 1 + operands.count
    ) { pointers in
      pointers.initializeElement(at: 0, to: memory.inputs[0])
      for index in operands.indices {
        pointers.initializeElement(at: 1 + index, to: operands[index].pointer)
      }
      guard let inputs = pointers.baseAddress else { return }
      // Safe: the pointers are valid during the call, and there is one pointer per input of the step.
      try step.run(
        StepMemory(
          inputs: UnsafePointer(inputs), outputs: memory.outputs, scratch: memory.scratch,
          state: memory.state))
    }
  }
}
