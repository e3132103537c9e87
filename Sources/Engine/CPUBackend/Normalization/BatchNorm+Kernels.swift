import Backends
import CKernels
import Graph
import Operators

extension BatchNormOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    switch statistics {
    case .given:
      return [KernelCandidate("native scale and shift") { [self] in try givenKernel($0) }]
    case .instance, .batch:
      return [
        KernelCandidate("native instance norm") { [self] in try statisticsKernel($0) }
      ]
    }
  }

  /// One pass over memory that multiplies by a factor and adds a shift a channel, which are computed of
  /// the parameters once for the network. Declines parameters that are no constants.
  private func givenKernel(_ request: KernelRequest) throws -> Kernel? {
    var plain: BatchNormOperator = self
    plain.activation = nil
    guard residual == nil,
      let form = plain.affine(
        of: request.inputs.indices.map { request.constant($0) }, channels: channels)
    else { return nil }
    return try request.kernel(
      .affine(activation: activation),
      operands: [form.scale, form.shift].map { $0.reshaped(to: [channels, 1, 1]) })
  }

  /// Channels-last pictures of `float32` or `bfloat16`, with the residual and the activation
  /// fused. Sums are shifted and joined in a fixed order. Statistics of a batch are those of one
  /// picture of all its rows.
  private func statisticsKernel(_ request: KernelRequest) throws -> Kernel? {
    var form: TensorDescriptor = request.followed()
    form.layout = .channelsLast
    let fused = activation?.uniformFunction
    if activation != nil && fused == nil { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard let type = form.storage.native, form.shape.count > 0 else { return nil }
    var description = ck_instance_norm(
      map, type, epsilon: epsilon, activation: fused, isOfBatch: !isInstanceNormalization)
    var inputs: [TensorDescriptor] = [form]
    inputs += request.inputs[parameterInputs].map { TensorDescriptor($0.shape) }
    var residualOffset = 0
    if let residual, let residualInput {
      let added = request.inputs[residualInput]
      guard isInstanceNormalization || added.shape == form.shape else { return nil }
      let picture = TensorDescriptor(added.shape, form.storage, .channelsLast)
      inputs.append(picture)
      description.has_residual = 1
      description.residual_row_stride = Int64(picture.shape[-1] * map.channels)
      description.residual_batch_stride =
        description.residual_row_stride
        * Int64(isInstanceNormalization ? picture.shape[-2] : map.batch * map.height)
      residualOffset = residual.byteOffset(in: picture)
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
  /// The norm of pictures of one type in channels-last memory, without residual.
  ///
  /// - Parameter isOfBatch: whether statistics are those of all pictures together, as of one that has all rows.
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

/// Runs the native instance norm; in place where the planner wants.
package final class InstanceNormStep: Step, @unchecked Sendable {
  /// Where γ and β come from.
  package enum Parameters {
    /// The second and third inputs.
    case inputs
    /// Made once for the network.
    case packed(gamma: PackedWeight, beta: PackedWeight)
  }

  private let description: ck_instance_norm
  private let parameters: Parameters
  /// Bytes to skip in the last input.
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
      // Safe: the shape rule made sure of one number a channel, and the kernel asked for float32.
      gamma = UnsafePointer(memory.inputs[1].assumingMemoryBound(to: Float.self))
      beta = UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self))
      added = 3
    case .packed(let gammas, let betas):
      gamma = UnsafePointer(gammas.floats)
      beta = UnsafePointer(betas.floats)
      added = 1
    }
    // Safe: the shape rule made sure that the last input reaches as far as the first.
    let residual: UnsafeMutableRawPointer? =
      description.has_residual == 1 ? memory.inputs[added] + residualOffset : nil
    // Safe: the shape rule made sure of the blocks, and the kernel asked for dense float32.
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
