import Backends
import CKernels
import Graph
import Operators

extension KernelRequest {
  /// The form of the statistics. The statistics are the second output if there are two outputs, else the last input.
  var statistics: TensorDescriptor {
    TensorDescriptor(outputs.count > 1 ? outputs[1].shape : inputs[inputs.count - 1].shape)
  }
}

extension KernelCandidate {
  /// The same candidate, with statistics of the kernel's results. If the candidate's kernel does not compute
  /// statistics, another step computes them afterwards.
  var withStatistics: KernelCandidate {
    KernelCandidate(name, elements: elements, skipsTiming: skipsTiming) { request in
      guard var kernel = try make(request) else { return nil }
      if kernel.outputs.count == 2 { return kernel }
      guard let step = StatisticsStep(kernel.step, kernel.outputs[0]) else { return nil }
      kernel.step = step
      kernel.outputs.append(request.statistics)
      return kernel
    }
  }
}

/// Runs a step, then computes the statistics of that step's results (``BlockStatistics``) as a second output.
final class StatisticsStep: Step, @unchecked Sendable {
  private let step: Step
  private let type: ck_type
  private let map: FeatureMap

  /// Nil if the results are not channels-last images of `float32` or `bfloat16`.
  init?(_ step: Step, _ form: TensorDescriptor) {
    guard form.layout == .channelsLast, let type = form.storage.native else { return nil }
    self.step = step
    self.type = type
    map = FeatureMap(ofRankThreeOrMore: form.shape)
  }

  override var detail: String { step.detail }
  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }
  override var synchronizesOften: Bool { step.synchronizesOften }
  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    try step.run(memory)
    // Safe: the kernel takes dense float32, and shape inference computes the same number of blocks as the kernel.
    ck_statistics_run(
      type, memory.outputs[0], Int64(map.batch), Int64(map.area), Int64(map.channels),
      memory.outputs[1].assumingMemoryBound(to: Float.self))
  }
}
