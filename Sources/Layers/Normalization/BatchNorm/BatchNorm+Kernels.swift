import CKernels
import Engine

extension BatchNormLayer {
  public var kernels: [KernelCandidate] {
    switch statistics {
    case .given:
      guard !addsSecondInput else { return [] }
      var plain: BatchNormLayer = self
      plain.activation = nil
      return [
        .affine("native scale and shift", activation: activation) { [plain] (channels: Int) in
          try plain.affine(channels: channels)
        }
      ]
    case .instance, .batch:
      return [
        KernelCandidate("native instance norm") { [self] in try statisticsKernel($0) }
      ]
    }
  }

  /// Channels-last pictures of `float32` or `bfloat16`, with the second input and the activation
  /// fused. Sums are shifted and joined in a fixed order. Statistics of a batch are those of one
  /// picture of all its rows.
  private func statisticsKernel(_ request: KernelRequest) throws -> Kernel? {
    var form: TensorDescriptor = request.followed()
    form.layout = .channelsLast
    let fused = activation?.uniformFunction
    if activation != nil && fused == nil { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard let type = form.storage.native, form.shape.count > 0 else { return nil }
    let (gammas, betas) = try gammaAndBeta()
    var description = ck_instance_norm()
    description.batch = Int64(isInstanceNormalization ? map.batch : 1)
    description.height = Int64(isInstanceNormalization ? map.height : map.batch * map.height)
    description.width = Int64(map.width)
    description.channels = Int64(map.channels)
    description.epsilon = epsilon
    description.source_type = type
    description.destination_type = type
    description.activation = fused?.function ?? CK_IDENTITY
    description.alpha = fused?.alpha ?? 0
    description.beta = fused?.beta ?? 0
    description.has_residual = addsSecondInput ? 1 : 0
    description.residual_row_stride = Int64(map.width * map.channels)
    description.residual_batch_stride = description.residual_row_stride * description.height
    let step = try InstanceNormStep(
      description, gamma: gammas.map(Float.init), beta: betas.map(Float.init))
    return Kernel(
      step, inputs: addsSecondInput ? [form, form] : [form], outputs: [form],
      scratchByteCount: step.scratchByteCount, inPlaceInput: 0)
  }
}

/// Runs the native instance norm; in place where the planner wants.
final class InstanceNormStep: Step, @unchecked Sendable {
  private let description: ck_instance_norm
  private let gamma: AlignedBuffer
  private let beta: AlignedBuffer

  init(_ description: ck_instance_norm, gamma: [Float], beta: [Float]) throws {
    self.description = description
    self.gamma = try AlignedBuffer(gamma)
    self.beta = try AlignedBuffer(beta)
  }

  var scratchByteCount: Int {
    var description: ck_instance_norm = self.description
    return ck_instance_norm_scratch_bytes(&description)
  }

  override var constantByteCount: Int { gamma.byteCount + beta.byteCount }

  override func run(_ memory: StepMemory) throws {
    var description: ck_instance_norm = self.description
    let residual: UnsafeMutableRawPointer? = description.has_residual == 1 ? memory.inputs[1] : nil
    requireNative(
      ck_instance_norm_run(
        &description, memory.inputs[0], gamma.floats, beta.floats, residual, memory.outputs[0],
        memory.scratch))
  }
}
