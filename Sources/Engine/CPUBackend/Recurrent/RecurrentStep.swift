import CKernels
import COneDNN
import Operators

extension KernelCandidate {
  /// Returns the candidate for one or more passes over a sequence. The passes run one after the other, each in its own
  /// direction. Before each pass, one matrix product multiplies all inputs by the weights. The weights must be
  /// constants, and are packed once.
  ///
  /// Tensors are dense `float32`. The scratch memory holds first the results of the matrix product (`steps · batch ·
  /// gates · size` values), then oneDNN's own scratch memory, then the states.
  ///
  /// - Parameters:
  ///   - states: The number of state inputs after the first input.
  ///   - passes: Returns the passes for a state size.
  static func recurrence(
    states: Int, _ passes: @escaping @Sendable (_ size: Int) -> [RecurrentPass]
  ) -> KernelCandidate {
    KernelCandidate("oneDNN matrix product, native recurrence") { request in
      let shape: Shape = request.inputs[0].shape
      guard shape.count > 0 else { return nil }
      var parts: [PreparedPass] = []
      for pass in passes(request.inputs[1 + states].shape[0]) {
        guard let part = try PreparedPass(pass, request) else { return nil }
        parts.append(part)
      }
      let step = RecurrentStep(
        parts, takesStates: states > 0, statesOut: request.outputs.count - 1)
      return Kernel(
        step,
        inputs: request.inputs.enumerated().map { position, input in
          position > states ? nil : TensorDescriptor(input.shape)
        }, outputs: request.outputs.map { TensorDescriptor($0.shape) },
        weights: parts.flatMap(\.packed), scratchByteCount: step.scratchByteCount)
    }
  }
}

/// Runs passes one after the other. The passes share the scratch memory.
final class RecurrentStep: Step, @unchecked Sendable {
  private let parts: [PreparedPass]
  /// Whether the states before the first step are inputs. Otherwise, these states are zeros.
  private let takesStates: Bool
  private let statesOut: Int
  private let projectionByteCount: Int
  private let libraryByteCount: Int
  let scratchByteCount: Int

  init(_ parts: [PreparedPass], takesStates: Bool, statesOut: Int) {
    self.parts = parts
    self.takesStates = takesStates
    self.statesOut = statesOut
    func largest(_ counts: [Int]) -> Int { ((counts.max() ?? 0) + 63) / 64 * 64 }
    projectionByteCount = largest(parts.map(\.projectionByteCount))
    libraryByteCount = largest(parts.map(\.product.scratchByteCount))
    scratchByteCount =
      projectionByteCount + libraryByteCount + largest(parts.map(\.stateByteCount))
  }

  override var detail: String { parts.first?.product.implementation ?? "" }

  override var synchronizesOften: Bool { true }

  /// One handle per pass.
  private final class Executions {
    let all: [DNNExecution]
    init(_ all: [DNNExecution]) { self.all = all }
  }

  override func makeState() throws -> AnyObject? {
    Executions(try parts.map { try DNNExecution($0.product) })
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state comes from makeState(), and the planner supplies dense float32 memory of the planned shapes.
    let executions = unsafeDowncast(memory.state.unsafelyUnwrapped, to: Executions.self)
    func floats(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
      pointer.assumingMemoryBound(to: Float.self)
    }
    var state = 0
    for index in parts.indices {
      let part = parts[index]
      try executions.all[index].run(
        source: memory.inputs[0], weights: part.matrices.pointer,
        bias: UnsafePointer(part.biases.floats), destination: memory.scratch,
        scratch: memory.scratch + projectionByteCount)
      var run = ck_recurrence_run_memory()
      run.projected = UnsafePointer(floats(memory.scratch))
      run.scratch = floats(memory.scratch + projectionByteCount + libraryByteCount)
      run.outputs = floats(memory.outputs[0]) + part.outputOffset
      let hasCell: Bool = part.stateCount == 2
      if takesStates {
        run.first_output = UnsafePointer(floats(memory.inputs[1 + state]))
        if hasCell { run.first_cell = UnsafePointer(floats(memory.inputs[2 + state])) }
      }
      if state < statesOut { run.last_output = floats(memory.outputs[1 + state]) }
      if hasCell, state + 1 < statesOut { run.last_cell = floats(memory.outputs[2 + state]) }
      part.run(&run)
      state += part.stateCount
    }
  }
}
