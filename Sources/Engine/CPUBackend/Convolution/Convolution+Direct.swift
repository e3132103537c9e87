import Backends
import CKernels
import Graph
import Operators

extension FusedConvolution {
  /// Makes our own convolution kernel. If `tile` is not 0, the kernel uses Winograd's algorithm with output tiles of
  /// this size. If `tiles` is not 0, it uses the processor's matrix tiles or emulated tiles
  /// (`ck_convolution.matrix_tiles`).
  package func directKernel(
    _ request: KernelRequest, tile: Int = 0, tiles: Int32 = 0
  ) throws -> Kernel? {
    guard core.groups == 1, let steps, let function = steps.uniformFunction,
      request.constant(1) != nil || steps.residual == nil,
      inputNorm?.hasAtMostReLU ?? true
    else { return nil }
    if upsampling > 1, core.stride != Pair(1, 1) { return nil }
    let (source, destination) = forms(request)
    guard
      var description = try ck_convolution(
        sizesOf: self, input: source.shape, output: destination.shape)
    else { return nil }
    description.deconvolution = core.isDeconvolution ? 1 : 0
    description.upsample = Int32(upsampling)
    description.winograd_tile = Int32(tile)
    description.matrix_tiles = tiles
    description.source_type = source.storage == .bfloat16 ? CK_BF16 : CK_F32
    description.destination_type = destination.storage == .bfloat16 ? CK_BF16 : CK_F32
    description.has_bias = core.hasBias ? 1 : 0
    description.has_scale = steps.factorsInput == nil ? 0 : 1
    description.has_statistics = takesStatistics ? 1 : 0
    if let inputNorm {
      description.has_norm = 1
      description.norm_relu = inputNorm.epilogue.isEmpty ? 0 : 1
      description.norm_epsilon = inputNorm.core.epsilon
    }
    (description.activation, description.alpha, description.beta) = function
    description.rounds = steps.rounds ? 1 : 0
    description.has_float16_weights = request.hasFloat16Weights
    var residualForm: TensorDescriptor?
    var residualOffset = 0
    if let residual = steps.residual {
      let form = TensorDescriptor(
        request.inputs[residual.input].shape, destination.storage, .channelsLast)
      residualForm = form
      description.has_residual = 1
      description.residual_row_stride = Int64(form.shape[-1]) * description.output_channels
      description.residual_batch_stride =
        description.residual_row_stride * Int64(form.shape[-2])
      residualOffset = residual.offset.byteOffset(in: form)
    }
    guard let plan = DirectConvolutionPlan(&description) else { return nil }
    let step = DirectConvolutionStep(
      plan, self, steps, weights: request.constant(1).map { plan.packed($0, in: request.weights) },
      residualOffset: residualOffset, threads: request.threads)
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[0] = source
    if step.weights != nil { inputs[1] = nil }
    if let residual = steps.residual { inputs[residual.input] = residualForm }
    let statistics: [TensorDescriptor] = takesStatistics ? [request.statistics] : []
    return Kernel(
      step, inputs: inputs, outputs: [destination] + statistics,
      weights: step.weights.map { [$0] } ?? [],
      scratchByteCount: step.scratchByteCount,
      inPlaceInput: residualForm == destination ? steps.residual?.input : nil)
  }
}

extension KernelRequest {
  /// The value of `ck_convolution.has_float16_weights`: 1 if a file stores the constant weights as float16.
  var hasFloat16Weights: Int32 { constant(1)?.stored?.storedElement == .float16 ? 1 : 0 }
}

/// The owner of a plan of `ck_convolution`.
///
/// `@unchecked Sendable`: a plan is immutable (CKernels.h).
package final class DirectConvolutionPlan: @unchecked Sendable {
  package let handle: OpaquePointer

  package init?(_ description: inout ck_convolution) {
    guard let plan = ck_convolution_create(&description) else { return nil }
    handle = plan
  }

  deinit { ck_convolution_destroy(handle) }

  /// Packs constant weights in the format that this plan reads. Plans with the same format share the packed weights.
  func packed(_ constant: Constant, in weights: PackedWeights) -> PackedWeight {
    weights.weight(
      String(cString: ck_convolution_weights_form(handle)), of: [constant],
      byteCount: weightsByteCount
    ) { [self] memory in
      if packedFloat16(constant, into: memory) { return }
      try constant.withFloats { source in
        // Safe: shape inference checked the number of weights against the description.
        if let base = source.baseAddress { ck_convolution_pack(handle, base, memory) }
      }
    }
  }

  /// Packs weights that a file stores as float16 without widening them. Returns false if the plan or the file keeps
  /// them in another type.
  private func packedFloat16(_ constant: Constant, into memory: UnsafeMutableRawPointer) -> Bool {
    guard let stored = constant.stored, stored.storedElement == .float16,
      stored.byteCount == constant.count * 2
    else { return false }
    return stored.withPlainBytes { bytes in
      guard let base = bytes.baseAddress, UInt(bitPattern: base) % 2 == 0 else { return false }
      // Safe: there are two bytes per weight. Files store them in little-endian order, as this machine does.
      return ck_convolution_pack_float16(handle, base, memory) == 0
    } ?? false
  }

  var weightsByteCount: Int { ck_convolution_weights_bytes(handle) }

  package func scratchByteCount(threads: Int) -> Int {
    ck_convolution_scratch_bytes(handle, Int32(threads))
  }
}

/// Runs our own convolution.
///
/// Every run packs weights that are not constant. These packed weights follow the convolution's own part of the scratch
/// memory.
package final class DirectConvolutionStep: Step, @unchecked Sendable {
  private let plan: DirectConvolutionPlan
  /// The packed weights; nil if the weights are not constant.
  let weights: PackedWeight?
  private let biasInput: Int?
  private let factorsInput: Int?
  private let residualInput: Int?
  private let normInputs: Range<Int>?
  /// The byte offset, in the residual image, of the first element to add.
  private let residualOffset: Int
  /// Whether the second output receives the statistics of the results.
  private let takesStatistics: Bool
  private let threads: Int
  private let packedOffset: Int
  let scratchByteCount: Int

  init(
    _ plan: DirectConvolutionPlan, _ convolution: FusedConvolution, _ steps: ImageEpilogue,
    weights: PackedWeight?, residualOffset: Int, threads: Int
  ) {
    self.plan = plan
    self.weights = weights
    biasInput = convolution.core.biasInput
    factorsInput = steps.factorsInput
    residualInput = steps.residual?.input
    normInputs = convolution.normInputs
    self.residualOffset = residualOffset
    takesStatistics = convolution.takesStatistics
    self.threads = threads
    let needed: Int = plan.scratchByteCount(threads: threads)
    packedOffset = needed.roundedToLine
    scratchByteCount = weights == nil ? packedOffset + plan.weightsByteCount : needed
  }

  package override var detail: String {
    String(cString: ck_convolution_name(plan.handle))
      + (weights == nil ? ", weights packed at every run" : "")
  }

  package override func run(_ memory: StepMemory) throws {
    func floats(_ input: Int) -> UnsafePointer<Float> {
      // Safe: the kernel takes dense float32, and shape inference checked the number of values.
      UnsafePointer(memory.inputs[input].assumingMemoryBound(to: Float.self))
    }
    var arguments = ck_convolution_arguments()
    arguments.source = UnsafeRawPointer(memory.inputs[0])
    if let weights {
      arguments.weights = UnsafeRawPointer(weights.pointer)
    } else {
      // Safe: scratch memory includes the packed weights.
      ck_convolution_pack(plan.handle, floats(1), memory.scratch + packedOffset)
      arguments.weights = UnsafeRawPointer(memory.scratch + packedOffset)
    }
    if let biasInput { arguments.bias = floats(biasInput) }
    if let factorsInput {
      arguments.scale = floats(factorsInput)
      arguments.offset = floats(factorsInput + 1)
    }
    // Safe: shape inference checked that the residual has an element for each element of the output.
    if let residualInput {
      arguments.residual = UnsafeRawPointer(memory.inputs[residualInput] + residualOffset)
    }
    if let first = normInputs?.lowerBound {
      arguments.norm_gamma = floats(first)
      arguments.norm_beta = floats(first + 1)
      arguments.norm_statistics = floats(first + 2)
    }
    arguments.destination = memory.outputs[0]
    // Safe: the kernel takes dense float32, and shape inference computes the same number of blocks as the kernel.
    if takesStatistics {
      arguments.statistics = memory.outputs[1].assumingMemoryBound(to: Float.self)
    }
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    guard ck_convolution_run(plan.handle, &arguments) == 0 else {
      throw EngineError(.backend, "the direct convolution rejected its arguments.")
    }
  }
}
