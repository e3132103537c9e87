import CKernels
import COneDNN
import Backends
import Graph

extension ConvolutionOperator {
  public var kernels: [KernelCandidate] {
    let library = KernelCandidate("oneDNN convolution") { try libraryKernel($0) }
    let tiles = KernelCandidate("oneDNN convolution on matrix tiles") { request in
      Self.hasTiles(request) ? try libraryKernel(request) : nil
    }
    let direct = KernelCandidate("direct convolution") { try directKernel($0) }
    let winograd = KernelCandidate("Winograd convolution") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels >= Self.leastWinogradPixels else { return nil }
      return try directKernel(request, tile: Self.winogradTile(request, pixels: pixels))
    }
    let mirrored = KernelCandidate("oneDNN convolution, mirrored") { try mirroredKernel($0) }
    let mirroredOnTiles = KernelCandidate("oneDNN convolution on matrix tiles, mirrored") {
      Self.hasTiles($0) ? try mirroredKernel($0) : nil
    }
    if suitsWinograd, canMirror { return [mirroredOnTiles, winograd, mirrored, library, direct] }
    if suitsWinograd { return [tiles, winograd, library, direct] }
    if canMirror { return [mirrored, direct, library] }
    return prefersDirect ? [tiles, direct, library] : [library, direct]
  }

  /// Whether oneDNN multiplies on matrix tiles (AMX), which have many times the rate of our kernels'
  /// vectors; measured in every convolution of three style networks.
  private static func hasTiles(_ request: KernelRequest) -> Bool {
    request.processor.hasMatrixTiles && request.precision == .bfloat16
  }

  /// Where our kernel is faster than oneDNN's (measured, see Documentation/Performance.md): wide
  /// kernels with few channels on one side, transposed convolutions, fused upsampling.
  private var prefersDirect: Bool {
    groups == 1
      && (isDeconvolution || upsampling > 1 || affine != nil || outputChannels < 16
        || inputChannels < 16)
  }

  /// Whether Winograd's method computes this: windows of 3 × 3 that move pixel by pixel, and channels in
  /// whole vectors.
  private var suitsWinograd: Bool {
    let one = Pair(1, 1)
    return kernel == Pair(3, 3) && stride == one && dilation == one && groups == 1
      && upsampling == 1 && inputChannels % 16 == 0 && outputChannels % 16 == 0
      && inputChannels >= 32 && outputChannels >= 32
  }

  /// Below so many pixels of all pictures together reading the weights takes the time, of which Winograd's
  /// method has nearly twice as many.
  private static let leastWinogradPixels = 36

  /// The side of the squares that Winograd's method computes at a time. Squares of four take a quarter of
  /// the products, but in bfloat16 they round by half a percent; squares of two by two thousandths, as
  /// the plain sum does. Small pictures would not repay four times the memory for weights.
  package static func winogradTile(_ request: KernelRequest, pixels: Int) -> Int {
    guard request.precision == .float32 || request.isTolerant else { return 2 }
    return pixels < 1024 ? 2 : 4
  }

  /// The forms of both kernels: channels last; `bfloat16` where the plan allows it, but for results of
  /// four channels or fewer, which are pictures to look at and small.
  package func forms(_ request: KernelRequest) -> (TensorDescriptor, TensorDescriptor) {
    let storage: ElementType = request.precision == .bfloat16 ? .bfloat16 : .float32
    return (
      TensorDescriptor(request.inputs[0].shape, storage, .channelsLast),
      TensorDescriptor(
        request.outputs[0].shape, outputChannels <= 4 ? .float32 : storage, .channelsLast)
    )
  }

  /// Whether a bias is added, from the model or as an input.
  package var hasBias: Bool { bias != nil || takesBiasInput }

  // MARK: oneDNN

  package func libraryKernel(_ request: KernelRequest) throws -> Kernel? {
    guard affine == nil, upsampling == 1, weights != nil || residual == nil else { return nil }
    let (source, destination) = forms(request)
    let input = FeatureMap(ofRankThreeOrMore: source.shape)
    let output = FeatureMap(ofRankThreeOrMore: destination.shape)
    let geometry = try Geometry(self, height: input.height, width: input.width)
    guard input.fitsLibraries, output.fitsLibraries, let top = Int32(exactly: geometry.top),
      let left = Int32(exactly: geometry.left),
      let bottom = Int32(
        exactly: trailing(
          input.height, output.height, stride.height, window.height, geometry.top)),
      let right = Int32(
        exactly: trailing(input.width, output.width, stride.width, window.width, geometry.left))
    else { return nil }
    var postOps: [adnn_post_op] = []
    if residual != nil {
      var sum = adnn_post_op()
      sum.kind = ADNN_SUM
      sum.scale = 1
      postOps.append(sum)
    }
    if let activation {
      guard let operations = activation.postOps else { return nil }
      postOps.append(contentsOf: operations)
    }
    var description = adnn_convolution()
    description.batch = Int32(input.batch)
    description.input_channels = Int32(input.channels)
    description.input_height = Int32(input.height)
    description.input_width = Int32(input.width)
    description.output_channels = Int32(output.channels)
    description.output_height = Int32(output.height)
    description.output_width = Int32(output.width)
    description.kernel_height = Int32(kernel.height)
    description.kernel_width = Int32(kernel.width)
    description.stride_height = Int32(stride.height)
    description.stride_width = Int32(stride.width)
    description.dilation_height = Int32(dilation.height)
    description.dilation_width = Int32(dilation.width)
    description.pad_top = top
    description.pad_left = left
    description.pad_bottom = bottom
    description.pad_right = right
    description.groups = Int32(groups)
    description.deconvolution = isDeconvolution ? 1 : 0
    description.has_bias = hasBias ? 1 : 0
    description.source_type = source.storage == .bfloat16 ? ADNN_BF16 : ADNN_F32
    description.weights_type = description.source_type
    description.destination_type = destination.storage == .bfloat16 ? ADNN_BF16 : ADNN_F32
    description.source_layout = ADNN_NHWC
    description.destination_layout = ADNN_NHWC
    let primitive = try postOps.withUnsafeBufferPointer { operations in
      description.post_ops = operations.baseAddress
      description.post_op_count = Int32(operations.count)
      return try DNNPrimitive.make { adnn_convolution_create(&description, $0) }
    }
    guard let primitive else { return nil }
    guard let weights else {
      return movingKernel(
        MovingConvolutionStep(primitive, order: .plain, takesBias: takesBiasInput), request, source,
        destination)
    }
    let convolution = DNNStep(
      primitive, weights: try primitive.pack(try weights.floats()),
      bias: try bias.map { try AlignedBuffer(try $0.floats()) })
    guard let residual, let added = request.inputs.last else {
      return Kernel(
        convolution, inputs: [source], outputs: [destination],
        scratchByteCount: primitive.scratchByteCount)
    }
    let picture = TensorDescriptor(added.shape, destination.storage, .channelsLast)
    return Kernel(
      ResidualStep(
        convolution, picture: picture, residual: residual, destination: destination),
      inputs: [source, picture], outputs: [destination],
      scratchByteCount: primitive.scratchByteCount, inPlaceInput: 1)
  }

  /// The padding behind the picture that gives the output size.
  private func trailing(
    _ input: Int, _ output: Int, _ stride: Int, _ window: Int, _ before: Int
  ) -> Int {
    isDeconvolution
      ? (input - 1) * stride + window - before - output
      : (output - 1) * stride + window - input - before
  }

  // MARK: Direct

  private func directKernel(_ request: KernelRequest, tile: Int = 0) throws -> Kernel? {
    guard groups == 1, weights != nil || residual == nil else { return nil }
    if upsampling > 1, stride != Pair(1, 1) { return nil }
    let (source, destination) = forms(request)
    let input = FeatureMap(ofRankThreeOrMore: source.shape)
    let output = FeatureMap(ofRankThreeOrMore: destination.shape)
    let geometry = try Geometry(self, height: input.height, width: input.width)
    guard input.fitsLibraries, output.fitsLibraries, let top = Int32(exactly: geometry.top),
      let left = Int32(exactly: geometry.left)
    else { return nil }
    var description = ck_convolution()
    description.batch = Int32(input.batch)
    description.input_channels = Int32(input.channels)
    description.input_height = Int32(input.height)
    description.input_width = Int32(input.width)
    description.output_channels = Int32(output.channels)
    description.output_height = Int32(output.height)
    description.output_width = Int32(output.width)
    description.kernel_height = Int32(kernel.height)
    description.kernel_width = Int32(kernel.width)
    description.stride_height = Int32(stride.height)
    description.stride_width = Int32(stride.width)
    description.dilation_height = Int32(dilation.height)
    description.dilation_width = Int32(dilation.width)
    description.pad_top = top
    description.pad_left = left
    description.deconvolution = isDeconvolution ? 1 : 0
    description.upsample = Int32(upsampling)
    description.tile = Int32(tile)
    description.source_type = source.storage == .bfloat16 ? CK_BF16 : CK_F32
    description.destination_type = destination.storage == .bfloat16 ? CK_BF16 : CK_F32
    description.has_bias = hasBias ? 1 : 0
    description.has_scale = affine == nil ? 0 : 1
    if let activation {
      guard let function = activation.uniformFunction else { return nil }
      description.activation = function.function
      description.alpha = function.alpha
      description.beta = function.beta
    }
    var inputs: [TensorDescriptor] = [source]
    var residualOffset = 0
    if let residual, let added = request.inputs.last {
      let picture = TensorDescriptor(added.shape, destination.storage, .channelsLast)
      inputs.append(picture)
      description.has_residual = 1
      description.residual_row_stride = Int64(picture.shape[-1] * output.channels)
      description.residual_batch_stride =
        description.residual_row_stride * Int64(picture.shape[-2])
      residualOffset = residual.byteOffset(in: picture)
    }
    guard let plan = DirectConvolutionPlan(&description) else { return nil }
    guard let weights else {
      return movingKernel(
        MovingDirectConvolutionStep(
          plan, takesBias: takesBiasInput, threads: request.threads), request, source, destination)
    }
    let step = try DirectConvolutionStep(
      plan, weights: try weights.floats(), bias: try bias?.floats(), affine: affine,
      residualOffset: description.has_residual == 1 ? residualOffset : nil,
      threads: request.threads)
    return Kernel(
      step, inputs: inputs, outputs: [destination],
      scratchByteCount: plan.scratchByteCount(threads: request.threads),
      inPlaceInput: inputs.count == 2 && inputs[1] == destination ? 1 : nil)
  }
}

/// The owner of a plan of `ck_convolution`.
///
/// `@unchecked Sendable`: a plan is immutable (CKernels.h).
package final class DirectConvolutionPlan: @unchecked Sendable {
  package let handle: OpaquePointer

  package init?(_ description: inout ck_convolution) {
    guard let made = ck_convolution_create(&description) else { return nil }
    handle = made
  }

  deinit { ck_convolution_destroy(handle) }

  package func scratchByteCount(threads: Int) -> Int {
    ck_convolution_scratch_bytes(handle, Int32(threads))
  }
}

/// Runs our own convolution.
package final class DirectConvolutionStep: Step, @unchecked Sendable {
  private let plan: DirectConvolutionPlan
  private let weights: AlignedBuffer
  private let bias: AlignedBuffer?
  private let scale: AlignedBuffer?
  private let shift: AlignedBuffer?
  /// Bytes to skip in the residual picture; nil when there is none.
  private let residualOffset: Int?
  private let threads: Int

  package init(
    _ plan: DirectConvolutionPlan, weights: [Float], bias: [Float]?,
    affine: ConvolutionOperator.ChannelAffine?, residualOffset: Int?, threads: Int
  ) throws {
    self.plan = plan
    self.residualOffset = residualOffset
    self.threads = threads
    let packed = try AlignedBuffer(byteCount: ck_convolution_weights_bytes(plan.handle))
    weights.withUnsafeBufferPointer { source in
      // Safe: the layer checked the number of weights against the description.
      if let base = source.baseAddress { ck_convolution_pack(plan.handle, base, packed.pointer) }
    }
    self.weights = packed
    self.bias = try bias.map(AlignedBuffer.init)
    scale = try affine.map { try AlignedBuffer($0.scale) }
    shift = try affine.map { try AlignedBuffer($0.shift) }
  }

  package override var detail: String { String(cString: ck_convolution_name(plan.handle)) }

  package override var constantByteCount: Int { weights.byteCount }

  package override func run(_ memory: StepMemory) throws {
    var arguments = ck_convolution_arguments()
    arguments.source = UnsafeRawPointer(memory.inputs[0])
    arguments.weights = UnsafeRawPointer(weights.pointer)
    if let bias { arguments.bias = UnsafePointer(bias.floats) }
    if let scale { arguments.scale = UnsafePointer(scale.floats) }
    if let shift { arguments.offset = UnsafePointer(shift.floats) }
    // Safe: the shape rule made sure that the residual reaches as far as the output.
    if let residualOffset {
      arguments.residual = UnsafeRawPointer(memory.inputs[1] + residualOffset)
    }
    arguments.destination = memory.outputs[0]
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    guard ck_convolution_run(plan.handle, &arguments) == 0 else {
      throw EngineError(.backend, "the direct convolution refused its arguments.")
    }
  }
}

/// Copies the residual into the output, where oneDNN's convolution then adds to it.
package final class ResidualStep: Step, @unchecked Sendable {
  private let convolution: DNNStep
  private let type: ck_type
  private let sizes: [Int64]
  private let sourceStrides: [Int64]
  private let destinationStrides: [Int64]
  private let sourceOffset: Int

  package init(
    _ convolution: DNNStep, picture: TensorDescriptor, residual: CropOperator.Offset,
    destination: TensorDescriptor
  ) {
    self.convolution = convolution
    type = destination.storage == .bfloat16 ? CK_BF16 : CK_F32
    let map = FeatureMap(ofRankThreeOrMore: destination.shape)
    let (width, height) = (picture.shape[-1], picture.shape[-2])
    sizes = [map.batch, map.height, map.width * map.channels].map(Int64.init)
    sourceStrides = [height * width * map.channels, width * map.channels, 1].map(Int64.init)
    destinationStrides =
      [map.height * map.width * map.channels, map.width * map.channels, 1].map(Int64.init)
    sourceOffset = residual.byteOffset(in: picture)
  }

  package override var detail: String { convolution.detail }

  package override var constantByteCount: Int { convolution.constantByteCount }

  package override func makeState() throws -> AnyObject? { try convolution.makeState() }

  package override func run(_ memory: StepMemory) throws {
    if memory.inputs[1] == memory.outputs[0] { return try convolution.run(memory) }
    // Safe: the shape rule made sure that the residual reaches as far as the output.
    let status = ck_copy(
      3, sizes, memory.inputs[1] + sourceOffset, type, sourceStrides, memory.outputs[0], type,
      destinationStrides)
    guard status == 0 else { throw EngineError(.backend, "the residual could not be copied.") }
    try convolution.run(memory)
  }
}
