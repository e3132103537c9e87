/// Runs one kernel candidate on reference values, without a plan. For tests and benchmarks.
public struct KernelTrial {
  /// The layout in which inputs of rank three or more are offered.
  public var layout: Layout
  /// The stored type in which inputs are offered. `bfloat16` also allows the kernel to compute in bfloat16.
  public var storage: ElementType
  /// The number of threads.
  public var threads: Int
  /// The processor that the candidates see. A kernel for a processor other than this machine's processor must not run.
  public var processor = Processor.current
  /// Whether kernels may multiply `float32` values as pairs of `bfloat16` values.
  public var multipliesPairs = false
  /// Whether the kernel runs twice with one ``Step`` state, each time in different memory. Before the second run, the
  /// trial fills the memory of the first run with NaN. If the state stores addresses of the first run's memory, the
  /// second run gives wrong results.
  public var runsInOtherMemoryFirst = false

  /// Creates a trial. By default, inputs are offered as dense `float32`, and one thread runs the kernel.
  public init(layout: Layout = .dense, storage: ElementType = .float32, threads: Int = 1) {
    self.layout = layout
    self.storage = storage
    self.threads = threads
  }

  /// Returns the outputs, or nil if the candidate does not fit or does not compute with these element types.
  ///
  /// Inputs are rounded to `storage` and converted to the forms that the kernel needs. Output memory is filled with
  /// NaN first, so that elements that the kernel does not write show in the result.
  public func run(
    _ candidate: KernelCandidate, inputs: [ReferenceTensor], constants: [Constant?] = [],
    outputs: [TensorType]
  ) throws -> [ReferenceTensor]? {
    guard candidate.takes(inputs.map(\.element) + outputs.map(\.element)) else { return nil }
    let request = request(inputs.map(\.type), constants, outputs)
    return try TeamSize.with(threads) { try run(candidate, request, inputs) }
  }

  /// Returns whether the candidate fits and computes with these element types. Runs nothing.
  public func takes(
    _ candidate: KernelCandidate, inputs: [TensorType], constants: [Constant?] = [],
    outputs: [TensorType]
  ) throws -> Bool {
    guard candidate.takes(inputs.map(\.element) + outputs.map(\.element)) else { return false }
    return try TeamSize.with(threads) {
      try candidate.make(request(inputs, constants, outputs)) != nil
    }
  }

  private func request(
    _ inputs: [TensorType], _ constants: [Constant?], _ outputs: [TensorType]
  ) -> KernelRequest {
    let offered: [TensorDescriptor] = inputs.enumerated().map { position, input in
      if constants.indices.contains(position), constants[position] != nil {
        return TensorDescriptor(input.shape, input.element)
      }
      return TensorDescriptor(
        input.shape, input.element == .float32 ? storage : input.element,
        input.shape.rank >= 3 ? layout : .dense)
    }
    return KernelRequest(
      name: "trial", inputs: offered, constants: constants, outputs: outputs,
      precision: storage == .bfloat16 ? .bfloat16 : multipliesPairs ? .bfloat16Pairs : .float32,
      processor: processor,
      threads: threads)
  }

  private func run(
    _ candidate: KernelCandidate, _ request: KernelRequest, _ inputs: [ReferenceTensor]
  ) throws -> [ReferenceTensor]? {
    guard let kernel = try candidate.make(request) else { return nil }
    for weight in kernel.weights { try weight.prepare() }
    let scratch = try AlignedBuffer(byteCount: kernel.scratchByteCount)
    let state = try kernel.step.makeState()
    if runsInOtherMemoryFirst, kernel.aliasedInput == nil {
      let other = try Memory(kernel, inputs)
      try other.run(kernel, scratch, state)
      other.forget()
      return try withExtendedLifetime(other) {
        try results(of: kernel, in: try Memory(kernel, inputs), scratch, state)
      }
    }
    return try results(of: kernel, in: try Memory(kernel, inputs), scratch, state)
  }

  private func results(
    of kernel: Kernel, in memory: Memory, _ scratch: AlignedBuffer, _ state: AnyObject?
  ) throws -> [ReferenceTensor] {
    // The buffers outlive every use of their addresses.
    try withExtendedLifetime((memory, scratch)) {
      if let aliased = kernel.aliasedInput {
        return [TensorCodec.unpack(memory.inputs[aliased].pointer, as: kernel.outputs[0])]
      }
      try memory.run(kernel, scratch, state)
      return zip(memory.outputs, kernel.outputs).map { buffer, form in
        TensorCodec.unpack(buffer.pointer, as: form)
      }
    }
  }

  /// The inputs in the forms that a kernel needs, and outputs filled with NaN.
  private final class Memory {
    let inputs: [AlignedBuffer]
    let outputs: [AlignedBuffer]

    init(_ kernel: Kernel, _ tensors: [ReferenceTensor]) throws {
      inputs = try zip(tensors, kernel.inputs).map { tensor, form in
        let form = form ?? TensorDescriptor([])
        if form.shape.rank == 0, tensor.shape.rank != 0 { return try AlignedBuffer(byteCount: 64) }
        let buffer = try AlignedBuffer(byteCount: form.byteCount)
        TensorCodec.pack(tensor, as: form, into: buffer.pointer)
        return buffer
      }
      outputs = try kernel.outputs.map { form in
        let buffer = try AlignedBuffer(byteCount: form.byteCount)
        Self.fill(buffer)
        return buffer
      }
    }

    private static func fill(_ buffer: AlignedBuffer) {
      // Safe: the buffer has this size.
      buffer.pointer.initializeMemory(as: UInt8.self, repeating: 0xFF, count: buffer.byteCount)
    }

    /// Fills all memory with NaN.
    func forget() { for buffer in inputs + outputs { Self.fill(buffer) } }

    func run(_ kernel: Kernel, _ scratch: AlignedBuffer, _ state: AnyObject?) throws {
      try inputs.map(\.pointer).withUnsafeBufferPointer { inputs in
        try outputs.map(\.pointer).withUnsafeBufferPointer { outputs in
          var unused = scratch.pointer
          try withUnsafePointer(to: &unused) { placeholder in
            try kernel.step.run(
              StepMemory(
                inputs: inputs.baseAddress ?? placeholder,
                outputs: outputs.baseAddress ?? placeholder, scratch: scratch.pointer,
                state: state))
          }
        }
      }
    }
  }
}
