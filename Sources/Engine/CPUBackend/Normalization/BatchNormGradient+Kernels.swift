import Backends
import CKernels
import Graph
import Operators

extension BatchNormGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native instance norm gradient") { try nativeKernel($0) }]
  }

  /// Channels-last pictures, each of `float32` or `bfloat16`; factors and their gradients are `float32`.
  /// Sums run over blocks of rows and are joined in order. May work in the memory of `∂y`.
  private func nativeKernel(_ request: KernelRequest) throws -> Kernel? {
    var forms: [TensorDescriptor] = [request.followed(0), request.followed(1)]
    // A plan of bfloat16 keeps gradients so from here on, even where they come as sums.
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
    // Safe: the shape rule made sure of one number a channel, and the kernel asked for float32.
    let factors: UnsafePointer<Float>? =
      hasGamma ? UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self)) : nil
    requireNative(
      ck_instance_norm_gradient_run(
        &description, memory.inputs[0], memory.inputs[1], factors, memory.outputs[0],
        memory.outputs[1].assumingMemoryBound(to: Float.self),
        memory.outputs[2].assumingMemoryBound(to: Float.self), memory.scratch))
  }
}
