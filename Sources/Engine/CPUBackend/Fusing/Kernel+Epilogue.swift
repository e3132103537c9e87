import Backends
import Graph
import Operators

extension Kernel {
  /// Returns a kernel that runs this one, and then applies the steps of an epilogue to the result in place. Nil if a
  /// pointwise program does not have the steps.
  ///
  /// - Parameter request: The request for the whole. Its inputs after those of this kernel are the steps' inputs.
  func followed(by epilogue: [Epilogue], of request: KernelRequest) throws -> Kernel? {
    guard let result: TensorDescriptor = outputs.first, outputs.count == 1 else { return nil }
    let own: Int = inputs.count
    var program = PointwiseProgram(inputCount: 1 + epilogue.inputCount)
    var (value, next) = (0, 1)
    var added: [TensorDescriptor] = []
    for step in epilogue {
      guard let part: PointwiseProgram = step.program, step.isWholeResidual else { return nil }
      value = program.append(part, inputs: [value] + Array(next..<next + step.inputCount))
      next += step.inputCount
      if step.inputCount > 0 {
        let shape: Shape = request.inputs[own + added.count].shape
        guard shape == result.shape else { return nil }
        added.append(TensorDescriptor(shape, result.storage, result.layout))
      }
    }
    guard program.fitsKernel,
      let step = try PointwiseStep(program, inputs: [result] + added, output: result)
    else { return nil }
    var whole: Kernel = self
    whole.step = FollowedStep(self.step, step, inputs: own, added: added.count)
    whole.inputs += added
    whole.inPlaceInput = nil
    return whole
  }
}

extension Epilogue {
  /// Whether the step is no residual, or one of all rows and columns.
  fileprivate var isWholeResidual: Bool {
    guard case .residual(let offset) = self else { return true }
    return offset.top == 0 && offset.left == 0
  }
}

/// Runs a step, and then a pointwise program on its result. The program reads the inputs after those of the step.
private final class FollowedStep: Step, @unchecked Sendable {
  private let first: Step
  private let program: PointwiseStep
  /// The number of inputs of the first step, and of the program besides the result.
  private let inputCount: Int, addedCount: Int

  init(_ first: Step, _ program: PointwiseStep, inputs: Int, added: Int) {
    self.first = first
    self.program = program
    (inputCount, addedCount) = (inputs, added)
  }

  override var detail: String { first.detail + ", then its epilogue" }
  override var constantByteCount: Int { first.constantByteCount }
  override var temporaryByteCount: Int { first.temporaryByteCount }
  override func makeState() throws -> AnyObject? { try first.makeState() }

  override func run(_ memory: StepMemory) throws {
    try first.run(memory)
    // There are only a few pointers, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer.self, capacity: 1 + addedCount
    ) { pointers in
      pointers.initializeElement(at: 0, to: memory.outputs[0])
      for index in 0..<addedCount {
        pointers.initializeElement(at: 1 + index, to: memory.inputs[inputCount + index])
      }
      guard let inputs = UnsafePointer(pointers.baseAddress) else { return }
      // Safe: the program reads the result and the added inputs, in the forms for which it was made.
      try program.run(
        StepMemory(inputs: inputs, outputs: memory.outputs, scratch: memory.scratch, state: nil))
    }
  }
}
