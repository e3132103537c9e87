import Operators
import Backends
import CKernels
import Graph

/// Runs a program on the team of threads. The step owns the C handle of the program.
///
/// `@unchecked Sendable`: a C program is immutable, and nothing here changes after `init`.
final class PointwiseStep: Step, @unchecked Sendable {
  private let handle: OpaquePointer
  private let inputCount: Int

  init?(_ program: PointwiseProgram, inputs: [TensorDescriptor], output: TensorDescriptor) throws {
    precondition(
      PointwiseProgram.largestInputCount <= Int(CK_MAX_INPUTS)
        && PointwiseProgram.largestOperationCount <= Int(CK_MAX_OPERATIONS))
    var description = ck_program_description()
    let order = PointwiseStep.memoryOrder(output)
    description.rank = Int32(order.count)
    withUnsafeMutableBytes(of: &description.dimensions) { bytes in
      let extents = bytes.assumingMemoryBound(to: Int64.self)
      for (position, axis) in order.enumerated() { extents[position] = Int64(output.shape[axis]) }
    }
    let operands: [ck_input] = inputs.map {
      PointwiseStep.operand($0, output: output, order: order)
    }
    description.input_count = Int32(operands.count)
    withUnsafeMutableBytes(of: &description.inputs) { bytes in
      let target = bytes.assumingMemoryBound(to: ck_input.self)
      for (position, operand) in operands.enumerated() { target[position] = operand }
    }
    description.output_type = output.kernelType
    description.operation_count = Int32(program.operations.count)
    withUnsafeMutableBytes(of: &description.operations) { bytes in
      let target = bytes.assumingMemoryBound(to: ck_operation.self)
      for (position, entry) in program.operations.enumerated() {
        target[position] = ck_operation(
          kind: entry.operation.kernelKind, a: Int32(entry.first), b: Int32(entry.second),
          alpha: entry.alpha, beta: entry.beta)
      }
    }
    guard let handle = ck_program_create(&description) else { return nil }
    self.handle = handle
    self.inputCount = inputs.count
  }

  deinit { ck_program_destroy(handle) }

  override func run(_ memory: StepMemory) throws {
    // There are only a few pointers, so the temporary allocation stays on the stack.
    let status: Int32 = withUnsafeTemporaryAllocation(
      of: UnsafeRawPointer?.self, capacity: inputCount
    ) { pointers in
      for index in 0..<inputCount {
        pointers.initializeElement(at: index, to: UnsafeRawPointer(memory.inputs[index]))
      }
      // Safe: there is one pointer per input of the program, in the forms of the kernel.
      return ck_program_run(handle, pointers.baseAddress, memory.outputs[0])
    }
    guard status == 0 else {
      throw EngineError(.backend, "the kernel of the elementwise operations failed.")
    }
  }

  /// Returns the axes of a form in memory order, outermost first, without axes of extent 1.
  private static func memoryOrder(_ form: TensorDescriptor) -> [Int] {
    let rank = form.shape.rank
    var axes = Array(0..<rank)
    if form.layout == .channelsLast, rank >= 3 {
      axes = Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3]
    }
    return axes.filter { form.shape[$0] != 1 }
  }

  /// Returns an input's strides over the output's axes. The stride of a broadcast axis is 0.
  private static func operand(
    _ form: TensorDescriptor, output: TensorDescriptor, order: [Int]
  ) -> ck_input {
    let missing = output.shape.rank - form.shape.rank
    let strides = form.strides
    var result = ck_input()
    result.type = form.kernelType
    withUnsafeMutableBytes(of: &result.strides) { bytes in
      let target = bytes.assumingMemoryBound(to: Int64.self)
      for (position, axis) in order.enumerated() {
        let own = axis - missing
        let isStepped = own >= 0 && form.shape[own] != 1
        target[position] = isStepped ? Int64(strides[own]) : 0
      }
    }
    return result
  }
}
