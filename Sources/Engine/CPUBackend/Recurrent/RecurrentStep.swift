import CKernels
import COneDNN
import Operators

extension KernelCandidate {
  /// Walks along a sequence in one direction or more, one after the other. All products with the
  /// inputs are one product of matrices, made before the walk. Weights are constants, packed once.
  ///
  /// Dense `float32`. Scratch: those products, `steps · batch · gates · size` values, and the states.
  ///
  /// - Parameters:
  ///   - states: how many inputs after the first are states.
  ///   - walks: the walks of vectors of a size.
  static func recurrence(
    states: Int, _ walks: @escaping @Sendable (_ size: Int) -> [RecurrentWalk]
  ) -> KernelCandidate {
    KernelCandidate("oneDNN matrix product, native recurrence") { request in
      let shape: Shape = request.inputs[0].shape
      guard shape.count > 0 else { return nil }
      var parts: [PreparedWalk] = []
      for walk in walks(request.inputs[1 + states].shape[0]) {
        guard let part = try PreparedWalk(walk, request) else { return nil }
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

/// Runs walks one after the other; they share the memory between them.
final class RecurrentStep: Step, @unchecked Sendable {
  private let parts: [PreparedWalk]
  private let takesStates: Bool
  private let statesOut: Int
  private let projectionByteCount: Int
  private let libraryByteCount: Int
  let scratchByteCount: Int

  init(_ parts: [PreparedWalk], takesStates: Bool, statesOut: Int) {
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

  override var meetsOften: Bool { true }

  /// One handle a walk.
  private final class Executions {
    let all: [DNNExecution]
    init(_ all: [DNNExecution]) { self.all = all }
  }

  override func makeState() throws -> AnyObject? {
    Executions(try parts.map { try DNNExecution($0.product) })
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made, and the planner gives dense float32 memory of the
    // shapes that the kernel asked for.
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
      var places = ck_recurrence_run_memory()
      places.projected = UnsafePointer(floats(memory.scratch))
      places.scratch = floats(memory.scratch + projectionByteCount + libraryByteCount)
      places.outputs = floats(memory.outputs[0]) + part.outputOffset
      let hasCell: Bool = part.stateCount == 2
      if takesStates {
        places.first_output = UnsafePointer(floats(memory.inputs[1 + state]))
        if hasCell { places.first_cell = UnsafePointer(floats(memory.inputs[2 + state])) }
      }
      if state < statesOut { places.last_output = floats(memory.outputs[1 + state]) }
      if hasCell, state + 1 < statesOut { places.last_cell = floats(memory.outputs[2 + state]) }
      part.run(&places)
      state += part.stateCount
    }
  }
}
