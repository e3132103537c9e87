import Backends
import CKernels
import Graph
import Operators

extension BatchNormOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    guard case .given = statistics else { return FusedNorm(self).kernels }
    return [KernelCandidate("native scale and shift") { [self] in try givenKernel($0) }]
  }

  /// Makes a kernel that multiplies by a factor per channel and adds a bias per channel, in one pass over memory. The
  /// factors and the biases are computed from the parameters once for the network. Nil if the parameters are not
  /// constant.
  private func givenKernel(_ request: KernelRequest) throws -> Kernel? {
    guard
      let form = affine(
        of: request.inputs.indices.map { request.constant($0) }, channels: channels)
    else { return nil }
    return try request.kernel(
      .affine, operands: [form.scale, form.shift].map { $0.reshaped(to: [channels, 1, 1]) })
  }
}

extension FusedNorm: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native instance norm") { [self] in try kernel($0) }]
  }

  /// Makes a kernel for channels-last images of `float32` or `bfloat16` that also adds the residual and applies the
  /// activation. The kernel merges the statistics of blocks of pixels in a fixed order. If statistics are computed over
  /// a whole batch, the kernel treats the batch as one tall image.
  private func kernel(_ request: KernelRequest) throws -> Kernel? {
    var form: TensorDescriptor = request.followed()
    form.layout = .channelsLast
    guard let steps, steps.factorsInput == nil, let function = steps.uniformFunction else {
      return nil
    }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard let type = form.storage.native, form.shape.count > 0 else { return nil }
    var description = ck_instance_norm(
      map, type, epsilon: core.epsilon, activation: function,
      isOfBatch: !core.isInstanceNormalization)
    var inputs: [TensorDescriptor] = [form]
    inputs += request.inputs[core.parameterInputs].map { TensorDescriptor($0.shape) }
    var residualOffset = 0
    if let residual = steps.residual {
      let added = request.inputs[residual.input]
      guard core.isInstanceNormalization || added.shape == form.shape else { return nil }
      let image = TensorDescriptor(added.shape, form.storage, .channelsLast)
      inputs.append(image)
      description.has_residual = 1
      description.residual_row_stride = Int64(image.shape[-1] * map.channels)
      description.residual_batch_stride =
        description.residual_row_stride
        * Int64(core.isInstanceNormalization ? image.shape[-2] : map.batch * map.height)
      residualOffset = residual.offset.byteOffset(in: image)
    }
    if statisticsInput != nil {
      inputs.append(request.statistics)
      description.has_statistics = 1
    }
    let step = InstanceNormStep(description, .inputs, residualOffset: residualOffset)
    return Kernel(
      step, inputs: inputs, outputs: [form],
      scratchByteCount: step.scratchByteCount, inPlaceInput: 0)
  }
}

extension ck_instance_norm {
  /// Describes the norm of images of one type in channels-last memory, without a residual.
  ///
  /// - Parameter isOfBatch: Whether statistics are computed over all images together. The batch then counts as one tall
  ///   image.
  init(
    _ map: FeatureMap, _ type: ck_type, epsilon: Float,
    activation fused: (function: ck_function, alpha: Float, beta: Float)? = nil,
    isOfBatch: Bool = false
  ) {
    self.init()
    batch = Int64(isOfBatch ? 1 : map.batch)
    height = Int64(isOfBatch ? map.batch * map.height : map.height)
    width = Int64(map.width)
    channels = Int64(map.channels)
    self.epsilon = epsilon
    source_type = type
    destination_type = type
    activation = fused?.function ?? CK_IDENTITY
    alpha = fused?.alpha ?? 0
    beta = fused?.beta ?? 0
  }
}

/// Runs the native instance norm. Runs in place if the planner gives the output the memory of the input.
package final class InstanceNormStep: Step, @unchecked Sendable {
  /// The source of γ and β.
  package enum Parameters {
    /// γ and β are the second and third inputs.
    case inputs
    /// γ and β are packed once for the network.
    case packed(gamma: PackedWeight, beta: PackedWeight)
  }

  private let description: ck_instance_norm
  private let parameters: Parameters
  /// The byte offset, in the residual, of the first element to add.
  private let residualOffset: Int

  package init(_ description: ck_instance_norm, _ parameters: Parameters, residualOffset: Int = 0) {
    self.description = description
    self.parameters = parameters
    self.residualOffset = residualOffset
  }

  package var scratchByteCount: Int {
    var description: ck_instance_norm = self.description
    return ck_instance_norm_scratch_bytes(&description)
  }

  package override func run(_ memory: StepMemory) throws {
    var description: ck_instance_norm = self.description
    let gamma: UnsafePointer<Float>
    let beta: UnsafePointer<Float>
    let added: Int
    switch parameters {
    case .inputs:
      // Safe: shape inference checked that there is one number per channel, and the kernel takes float32.
      gamma = UnsafePointer(memory.inputs[1].assumingMemoryBound(to: Float.self))
      beta = UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self))
      added = 3
    case .packed(let gammas, let betas):
      gamma = UnsafePointer(gammas.floats)
      beta = UnsafePointer(betas.floats)
      added = 1
    }
    // Safe: shape inference checked that the residual has an element for each element of the first input.
    let residual: UnsafeMutableRawPointer? =
      description.has_residual == 1 ? memory.inputs[added] + residualOffset : nil
    // Safe: shape inference checked the number of blocks, and the kernel takes dense float32.
    let statistics: UnsafePointer<Float>? =
      description.has_statistics == 1
      ? UnsafePointer(
        memory.inputs[added + Int(description.has_residual)].assumingMemoryBound(to: Float.self))
      : nil
    requireNative(
      ck_instance_norm_run(
        &description, memory.inputs[0], gamma, beta, residual, statistics, memory.outputs[0],
        memory.scratch))
  }
}
