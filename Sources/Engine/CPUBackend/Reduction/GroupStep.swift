import Backends
import CKernels
import Graph
import Operators

/// Folds groups of elements into one number each, then computes every element from itself and its
/// group's number. `float32`; may run in place.
///
/// `@unchecked Sendable`: nothing changes after `init`.
package final class GroupStep: Step, @unchecked Sendable {
  private let reduction: ReductionStep
  /// Over the numbers, where they want a function before they are used.
  private let finish: PointwiseStep?
  private let program: PointwiseStep
  private let numbersByteCount: Int

  /// A step over memory `[outer, axis, inner]` with one number for every `[outer, inner]`; nil where
  /// the kernels cannot run it.
  ///
  /// `finish` has one input, the numbers; `program` has two, the elements and the numbers.
  package init?(
    outer: Int, axis: Int, inner: Int, folding kind: ck_reduction_kind,
    finish: PointwiseProgram? = nil, program: PointwiseProgram
  ) throws {
    reduction = ReductionStep(
      ck_reduction(
        kind: kind, outer: Int64(outer), axis: Int64(axis), inner: Int64(inner), epsilon: 0,
        type: CK_F32))
    numbersByteCount = (outer * inner * 4 + 63) / 64 * 64
    let numbers = TensorDescriptor([outer, 1, inner])
    let elements = TensorDescriptor([outer, axis, inner])
    self.finish = try finish.flatMap { try PointwiseStep($0, inputs: [numbers], output: numbers) }
    let step = try PointwiseStep(program, inputs: [elements, numbers], output: elements)
    guard let step, (finish == nil) == (self.finish == nil) else { return nil }
    self.program = step
  }

  /// What a run needs, in bytes.
  package var scratchByteCount: Int { numbersByteCount + reduction.scratchByteCount }

  package override func run(_ memory: StepMemory) throws {
    // A handful of pointers: the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: 2) { operands in
      operands.initializeElement(at: 0, to: memory.inputs[0])
      operands.initializeElement(at: 1, to: memory.scratch)
      guard let first = UnsafePointer(operands.baseAddress) else { return }
      // Safe: the scratch memory has room for the numbers and, after them, for the reduction.
      let scratch: UnsafeMutableRawPointer = memory.scratch + numbersByteCount
      func view(_ outputs: UnsafePointer<UnsafeMutableRawPointer>, of inputs: Int) -> StepMemory {
        StepMemory(inputs: first + inputs, outputs: outputs, scratch: scratch, state: nil)
      }
      try reduction.run(view(first + 1, of: 0))
      try finish?.run(view(first + 1, of: 1))
      try program.run(view(memory.outputs, of: 0))
    }
  }
}
