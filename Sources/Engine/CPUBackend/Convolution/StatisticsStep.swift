import Backends
import CKernels
import Graph
import Operators

extension KernelRequest {
  /// The form of statistics, of those that are made or read last.
  var statistics: TensorDescriptor {
    TensorDescriptor(outputs.count > 1 ? outputs[1].shape : inputs[inputs.count - 1].shape)
  }
}

extension KernelCandidate {
  /// The same, with a kernel that takes the statistics of its results afterwards where it has not done so meanwhile.
  var withStatistics: KernelCandidate {
    KernelCandidate(name, elements: elements, isSettled: isSettled) { request in
      guard var kernel = try make(request) else { return nil }
      if kernel.outputs.count == 2 { return kernel }
      guard let step = StatisticsStep(kernel.step, kernel.outputs[0]) else { return nil }
      kernel.step = step
      kernel.outputs.append(request.statistics)
      return kernel
    }
  }
}

/// Runs another step, and then takes the statistics of its results (``BlockStatistics``) as a second output.
final class StatisticsStep: Step, @unchecked Sendable {
  private let step: Step
  private let type: ck_type
  private let map: FeatureMap

  /// Nil for results that are no channels-last pictures of `float32` or `bfloat16`.
  init?(_ step: Step, _ form: TensorDescriptor) {
    guard form.layout == .channelsLast, let type = form.storage.native else { return nil }
    self.step = step
    self.type = type
    map = FeatureMap(ofRankThreeOrMore: form.shape)
  }

  override var detail: String { step.detail }
  override var constantByteCount: Int { step.constantByteCount }

  override var temporaryByteCount: Int { step.temporaryByteCount }
  override var meetsOften: Bool { step.meetsOften }
  override func makeState() throws -> AnyObject? { try step.makeState() }

  override func run(_ memory: StepMemory) throws {
    try step.run(memory)
    // Safe: the kernel asked for dense float32, and the shape rule counts the blocks as the kernel does.
    ck_statistics_run(
      type, memory.outputs[0], Int64(map.batch), Int64(map.area), Int64(map.channels),
      memory.outputs[1].assumingMemoryBound(to: Float.self))
  }
}
