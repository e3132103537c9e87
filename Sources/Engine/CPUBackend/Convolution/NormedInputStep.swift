import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns the same candidate with a fallback, for candidates that cannot apply an instance norm while they read
  /// their input. The fallback first applies the norm to the input in place, then runs a candidate for the plain
  /// operator.
  ///
  /// - Parameters:
  ///   - norm: The norm of the first input.
  ///   - inputs: The positions of the norm's parameters and statistics, which are the last inputs.
  ///   - plain: A candidate for the operator without the norm.
  ///   - isWanted: Whether the fallback may be used.
  func orAfter(
    _ norm: FusedNorm, _ inputs: Range<Int>, _ plain: KernelCandidate,
    where isWanted: @escaping @Sendable (KernelRequest) throws -> Bool
  ) -> KernelCandidate {
    KernelCandidate(name, elements: elements, skipsTiming: skipsTiming) { request in
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

/// Applies an instance norm to the first input in place, then runs a step that reads the result as its first input.
final class NormedInputStep: Step, @unchecked Sendable {
  private let step: Step
  private let description: ck_instance_norm
  private let first: Int
  private let ownScratch: Int

  /// Nil if the input is not a channels-last image of `float32` or `bfloat16`, or if our kernels do not have the
  /// activation.
  init?(
    _ step: Step, _ norm: FusedNorm, _ source: TensorDescriptor, _ inputs: Range<Int>,
    _ scratchByteCount: Int
  ) {
    guard source.layout == .channelsLast, let type = source.storage.native else { return nil }
    guard let fused = norm.steps?.uniformFunction else { return nil }
    var description = ck_instance_norm(
      FeatureMap(ofRankThreeOrMore: source.shape), type, epsilon: norm.core.epsilon,
      activation: fused)
    description.has_statistics = 1
    self.step = step
    self.description = description
    first = inputs.lowerBound
    ownScratch = scratchByteCount
  }

  /// The size of the scratch memory in bytes. First the norm uses this memory, then the step after the norm, so the
  /// larger of their two sizes suffices.
  var scratchByteCount: Int {
    withUnsafePointer(to: description) { max(ownScratch, ck_instance_norm_scratch_bytes($0)) }
  }

  override var detail: String { step.detail + ", after the norm" }
  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }
  override var synchronizesOften: Bool { step.synchronizesOften }
  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    // Safe: the kernel takes dense float32. Shape inference checked the parameters and computes the same number of
    // blocks as the kernel. The planner ensures that no later node reads the input.
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
