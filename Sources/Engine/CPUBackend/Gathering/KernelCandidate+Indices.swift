import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// The candidate where indices have another rule than that negative ones count from the end and what does
  /// not exist is an error: what the rule does not refuse is left to the definition.
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

  /// A kernel of one element of a batch, run for each: the first axes of all inputs and outputs are the
  /// batch's. Dense memory.
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

/// Runs a kernel for which negative indices count from the end, and the definition where that is not the
/// rule or where the kernel refuses what the rule allows.
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
    // Safe: the planner gives memory of the form of the indices.
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

/// Runs a step for each element of a batch, whose parts lie one after the other in dense memory.
private final class BatchStep: Step, @unchecked Sendable {
  private let step: Step
  private let count: Int
  private let inputs: [Int]
  private let outputs: [Int]

  /// - Parameters:
  ///   - inputs: the bytes of each input that belong to one element of the batch.
  ///   - outputs: the bytes of each output.
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
    let places: Int = inputs.count + outputs.count
    // A handful of addresses: the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: places) {
      addresses in
      guard let first = addresses.baseAddress else { return }
      for element in 0..<count {
        // Safe: every part lies inside the memory that the planner gives for the whole.
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
