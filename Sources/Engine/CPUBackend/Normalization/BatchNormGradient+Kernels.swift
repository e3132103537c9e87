import Backends
import CKernels
import Graph
import Operators

extension BatchNormGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native instance norm gradient") { try nativeKernel($0) }]
  }

  /// Makes a kernel for channels-last images, each of `float32` or `bfloat16`. Factors and their gradients are
  /// `float32`. Sums are computed over blocks of rows and joined in order. The result may be in the memory of `∂y`.
  private func nativeKernel(_ request: KernelRequest) throws -> Kernel? {
    var forms: [TensorDescriptor] = [request.followed(0), request.followed(1)]
    // If the input is stored as bfloat16, this kernel also reads and writes gradients as bfloat16, even if `∂y` is a
    // float32 sum.
    if forms[0].storage == .bfloat16 { forms[1].storage = .bfloat16 }
    for index in forms.indices { forms[index].layout = .channelsLast }
    guard let source = forms[0].storage.native, let target = forms[1].storage.native,
      forms[0].shape.count > 0
    else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: forms[0].shape)
    var description = ck_instance_norm(
      map, source, epsilon: epsilon, isOfBatch: !isInstanceNormalization)
    description.destination_type = target
    let step = InstanceNormGradientStep(description, hasGamma: hasGamma)
    let outputs: [TensorDescriptor] =
      [forms[1]] + request.outputs[1...].map { TensorDescriptor($0.shape) }
    if hasGamma { forms.append(TensorDescriptor(request.inputs[2].shape)) }
    return Kernel(
      step, inputs: forms, outputs: outputs, scratchByteCount: step.scratchByteCount,
      inPlaceInput: 1)
  }
}

/// Runs the native gradient of instance norm.
package final class InstanceNormGradientStep: Step, @unchecked Sendable {
  private let description: ck_instance_norm
  /// Whether the third input holds the factors γ. Otherwise, the factors are 1.
  private let hasGamma: Bool

  package init(_ description: ck_instance_norm, hasGamma: Bool) {
    self.description = description
    self.hasGamma = hasGamma
  }

  package var scratchByteCount: Int {
    var description: ck_instance_norm = self.description
    return ck_instance_norm_gradient_scratch_bytes(&description)
  }

  package override func run(_ memory: StepMemory) throws {
    var description: ck_instance_norm = self.description
    // Safe: shape inference checked that there is one number per channel, and the kernel takes float32.
    let factors: UnsafePointer<Float>? =
      hasGamma ? UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self)) : nil
    requireNative(
      ck_instance_norm_gradient_run(
        &description, memory.inputs[0], memory.inputs[1], factors, memory.outputs[0],
        memory.outputs[1].assumingMemoryBound(to: Float.self),
        memory.outputs[2].assumingMemoryBound(to: Float.self), memory.scratch))
  }
}
