import Backends
import CKernels
import Graph
import Operators

extension SoftmaxOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [softmaxCandidate(axis: -3)] }
}

extension SoftmaxNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [softmaxCandidate(axis: axis)] }
}

/// Returns the candidate of our softmax over an axis. In channels-last memory, the kernel reduces contiguous channels.
/// oneDNN's softmax is not used, because oneDNN returns numbers for NaN.
private func softmaxCandidate(axis: Int) -> KernelCandidate {
  KernelCandidate("native softmax") { (request: KernelRequest) -> Kernel? in
    var form: TensorDescriptor = request.followed()
    let shape: Shape = form.shape
    guard let resolved = shape.resolvedAxis(axis), shape.count > 0 else { return nil }
    let isChannels: Bool = shape.rank >= 3 && resolved == shape.rank - 3
    if form.layout == .channelsLast && !isChannels { form.layout = .dense }
    var inner: Int = shape.dimensions.dropFirst(resolved + 1).reduce(1, *)
    let extent: Int = shape[resolved]
    var outer: Int = shape.dimensions.prefix(resolved).reduce(1, *)
    if form.layout == .channelsLast {
      outer *= inner
      inner = 1
    }
    guard let type = form.storage.native else { return nil }
    let step = ClosureStep { [outer, inner] (memory: StepMemory) in
      requireNative(
        ck_softmax(
          type, memory.inputs[0], memory.outputs[0], Int64(outer), Int64(extent), Int64(inner)))
    }
    return Kernel(step, inputs: [form], outputs: [form])
  }
}
