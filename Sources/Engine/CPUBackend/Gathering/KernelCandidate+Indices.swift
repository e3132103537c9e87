import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns this candidate, adapted to an operator's rule for indices. The kernel counts negative indices from the
  /// end, and rejects an index out of range. If the operator's rule allows indices that the kernel rejects, the
  /// reference implementation runs.
  package func following(_ rule: IndexRule, of operation: any Operator) -> KernelCandidate {
    if rule == .fromEnd { return self }
    let fast: KernelCandidate = self
    return KernelCandidate(name, elements: elements) { request in
      guard var kernel = try fast.make(request),
        let definition = try KernelCandidate.reference(of: operation).make(request),
        kernel.inputs == definition.inputs, kernel.outputs == definition.outputs,
        let indices = kernel.inputs[1], let type = indices.storage.kernelType
      else { return nil }
      kernel.step = RuledStep(
        kernel.step, definition.step, rule, type, count: indices.shape.count)
      return kernel
    }
  }

  /// Returns a candidate that runs a kernel for each element of a batch. The first axes of all inputs and outputs are
  /// the batch. Tensors are dense.
  package static func perBatch(axes: Int, _ operation: any KernelProvider) -> KernelCandidate {
    KernelCandidate("native gather per batch", elements: .all) { request in
      func part(_ shape: Shape) -> Shape { Shape(Array(shape.dimensions.dropFirst(axes))) }
      let inputs: [TensorDescriptor] = request.inputs.map {
        TensorDescriptor(part($0.shape), $0.storage == .bfloat16 ? .float32 : $0.storage)
      }
      let outputs: [TensorType] = request.outputs.map { $0.reshaped(to: part($0.shape)) }
      let elements: [ElementType] = inputs.map(\.storage) + outputs.map(\.element)
      let inner = KernelRequest(
        name: request.name, inputs: inputs, outputs: outputs, precision: .float32,
        processor: request.processor, threads: request.threads, weights: request.weights)
      for candidate in operation.kernels where elements.allSatisfy(candidate.elements.contains) {
        guard var kernel = try candidate.make(inner), kernel.inputs == inputs,
          kernel.outputs.allSatisfy({ $0.layout == .dense })
        else { continue }
        kernel.step = BatchStep(
          kernel.step, count: request.inputs[0].shape.product(0..<axes),
          inputs: inputs.map(\.byteCount), outputs: kernel.outputs.map(\.byteCount))
        kernel.inputs = zip(inputs, request.inputs).map { TensorDescriptor($1.shape, $0.storage) }
        kernel.outputs = zip(kernel.outputs, request.outputs).map {
          TensorDescriptor($1.shape, $0.storage)
        }
        return kernel
      }
      return nil
    }
  }
}

/// Runs a kernel for which negative indices count from the end. Runs the reference implementation instead if the
/// operator's rule gives negative indices another meaning, or allows indices that the kernel rejects.
private final class RuledStep: Step, @unchecked Sendable {
  private let fast: Step
  private let definition: Step
  private let rule: IndexRule
  private let type: ck_type
  private let count: Int64

  init(_ fast: Step, _ definition: Step, _ rule: IndexRule, _ type: ck_type, count: Int) {
    self.fast = fast
    self.definition = definition
    self.rule = rule
    self.type = type
    self.count = Int64(count)
  }

  override var constantByteCount: Int { fast.constantByteCount }

  override func makeState() throws -> AnyObject? { try fast.makeState() }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner supplies memory of the indices' form.
    if !rule.countsFromEnd, ck_has_negative(type, count, memory.inputs[1]) {
      return try definition.run(memory)
    }
    do {
      try fast.run(memory)
    } catch is EngineError where !rule.isChecked {
      try definition.run(memory)
    }
  }
}

/// Runs a step for each element of a batch. In dense memory, the part of each batch element is contiguous.
private final class BatchStep: Step, @unchecked Sendable {
  private let step: Step
  private let count: Int
  private let inputs: [Int]
  private let outputs: [Int]

  /// - Parameters:
  ///   - inputs: The bytes per batch element of each input.
  ///   - outputs: The bytes per batch element of each output.
  init(_ step: Step, count: Int, inputs: [Int], outputs: [Int]) {
    self.step = step
    self.count = count
    self.inputs = inputs
    self.outputs = outputs
  }

  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }

  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    let addressCount: Int = inputs.count + outputs.count
    // There are only a few addresses, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: addressCount) {
      addresses in
      guard let first = addresses.baseAddress else { return }
      for element in 0..<count {
        // Safe: every part is inside the memory that the planner supplies for the whole tensor.
        for (position, size) in inputs.enumerated() {
          (first + position).initialize(to: memory.inputs[position] + element * size)
        }
        for (position, size) in outputs.enumerated() {
          (first + inputs.count + position).initialize(
            to: memory.outputs[position] + element * size)
        }
        try step.run(
          StepMemory(
            inputs: UnsafePointer(first), outputs: UnsafePointer(first + inputs.count),
            scratch: memory.scratch, state: memory.state))
      }
    }
  }
}
