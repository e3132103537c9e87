import Backends
import CKernels
import Graph
import Operators

/// Reduces each group of elements to one number. Then computes every element of the result from the element and its
/// group's number. Tensors are `float32`. The step may run in place.
///
/// `@unchecked Sendable`: nothing changes after `init`.
package final class GroupStep: Step, @unchecked Sendable {
  private let reduction: ReductionStep
  /// A function that is applied to the groups' numbers first. Nil if there is none.
  private let finish: PointwiseStep?
  private let program: PointwiseStep
  private let numbersByteCount: Int

  /// Creates a step for tensors `[outer, axis, inner]`. Each group runs along the middle axis, so there is one number
  /// for every `[outer, inner]`. Nil if the kernels do not support such a step.
  ///
  /// `finish` has one input, the groups' numbers. `program` has two inputs, the elements and the groups' numbers.
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

  /// The scratch memory of a run, in bytes.
  package var scratchByteCount: Int { numbersByteCount + reduction.scratchByteCount }

  package override func run(_ memory: StepMemory) throws {
    // There are only a few pointers, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: 2) { operands in
      operands.initializeElement(at: 0, to: memory.inputs[0])
      operands.initializeElement(at: 1, to: memory.scratch)
      guard let first = UnsafePointer(operands.baseAddress) else { return }
      // Safe: the scratch memory includes the numbers and, after them, the reduction's scratch memory.
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
