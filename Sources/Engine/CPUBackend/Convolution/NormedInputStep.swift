import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// The same; and where it does not read through an instance norm, another one after the norm was applied to
  /// the input in its place.
  ///
  /// - Parameters:
  ///   - norm: the norm of the first input.
  ///   - inputs: the positions of its parameters and statistics, the last inputs.
  ///   - plain: a candidate for what is left without the norm.
  ///   - isWanted: whether another one is worth it at all.
  func orAfter(
    _ norm: BatchNormOperator, _ inputs: Range<Int>, _ plain: KernelCandidate,
    where isWanted: @escaping @Sendable (KernelRequest) throws -> Bool
  ) -> KernelCandidate {
    KernelCandidate(name, elements: elements, isSettled: isSettled) { request in
      if let kernel = try make(request) { return kernel }
      guard try isWanted(request),
        var kernel = try plain.make(request.withoutInputs(from: inputs.lowerBound)),
        let source = kernel.inputs[0],
        let step = NormedInputStep(kernel.step, norm, source, inputs, kernel.scratchByteCount)
      else { return nil }
      kernel.step = step
      kernel.inputs += request.inputs[inputs].map { TensorDescriptor($0.shape) }
      kernel.scratchByteCount = step.scratchByteCount
      kernel.overwrittenInput = 0
      return kernel
    }
  }
}

/// Applies an instance norm to the first input, in its place, and then runs another step.
final class NormedInputStep: Step, @unchecked Sendable {
  private let step: Step
  private let description: ck_instance_norm
  private let first: Int
  private let ownScratch: Int

  /// Nil for inputs that are no channels-last pictures of `float32` or `bfloat16`, and for activations that our own
  /// kernels have not.
  init?(
    _ step: Step, _ norm: BatchNormOperator, _ source: TensorDescriptor, _ inputs: Range<Int>,
    _ scratchByteCount: Int
  ) {
    guard source.layout == .channelsLast, let type = source.storage.native else { return nil }
    let fused = norm.activation?.uniformFunction
    if norm.activation != nil && fused == nil { return nil }
    var description = ck_instance_norm(
      FeatureMap(ofRankThreeOrMore: source.shape), type, epsilon: norm.epsilon, activation: fused)
    description.has_statistics = 1
    self.step = step
    self.description = description
    first = inputs.lowerBound
    ownScratch = scratchByteCount
  }

  /// That of both, one after the other.
  var scratchByteCount: Int {
    withUnsafePointer(to: description) { max(ownScratch, ck_instance_norm_scratch_bytes($0)) }
  }

  override var detail: String { step.detail + ", after the norm" }
  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }
  override var meetsOften: Bool { step.meetsOften }
  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    // Safe: the kernel asked for dense float32, and the shape rule checked the parameters and counts the blocks as
    // the kernel does; the planner lets nobody read the input later.
    func floats(_ input: Int) -> UnsafePointer<Float> {
      UnsafePointer(memory.inputs[first + input].assumingMemoryBound(to: Float.self))
    }
    requireNative(
      withUnsafePointer(to: description) {
        ck_instance_norm_run(
          $0, memory.inputs[0], floats(0), floats(1), nil, floats(2), memory.inputs[0],
          memory.scratch)
      })
    try step.run(memory)
  }
}
