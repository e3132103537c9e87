import Backends
import CKernels
import COneDNN
import Graph
import Operators

extension FusedConvolution {
  /// Makes oneDNN's convolution kernel. A residual is first copied into the output. The convolution then adds to the
  /// output.
  ///
  /// - Parameter order: How weights are rearranged before they are packed.
  package func libraryKernel(
    _ request: KernelRequest, order: WeightedPrimitive.Order = .plain
  ) throws -> Kernel? {
    if epilogue.contains(.rounding) { return try roundedLibraryKernel(request, order: order) }
    guard upsampling == 1, inputNorm == nil, let steps, steps.factorsInput == nil,
      request.constant(1) != nil || steps.residual == nil
    else { return nil }
    // If oneDNN cannot read images in the request's precision, reorders must convert them to float32 and back. oneDNN's
    // kernel is then used only if we have no kernel of our own.
    guard try request.libraryPrecision == request.precision || directKernel(request) == nil,
      var description = try core.libraryDescription(request)
    else { return nil }
    let (source, destination) = forms(request, request.libraryPrecision)
    var postOps: [adnn_post_op] = []
    if steps.residual != nil {
      var sum = adnn_post_op()
      sum.kind = ADNN_SUM
      sum.scale = 1
      postOps.append(sum)
    }
    if let function = steps.function {
      guard let operations = function.postOps else { return nil }
      postOps += operations
    }
    description.has_bias = core.hasBias ? 1 : 0
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
    let weighted = WeightedPrimitive(primitive, request, bias: core.biasInput, order: order)
    var inputs: [TensorDescriptor?] = [source] + weighted.forms(request)
    var copied: ResidualCopy?
    if let residual = steps.residual {
      let image = TensorDescriptor(
        request.inputs[residual.input].shape, destination.storage, .channelsLast)
      inputs.append(image)
      copied = ResidualCopy(
        input: residual.input, image: image, residual: residual.offset, destination: destination)
    }
    return Kernel(
      LibraryConvolutionStep(weighted, copied), inputs: inputs, outputs: [destination],
      weights: weighted.weights, scratchByteCount: weighted.scratchByteCount,
      inPlaceInput: steps.residual?.input)
  }
}

extension FusedConvolution {
  /// Makes oneDNN's kernel of the convolution alone. A pointwise program then applies the steps in place.
  private func roundedLibraryKernel(
    _ request: KernelRequest, order: WeightedPrimitive.Order
  ) throws -> Kernel? {
    var plain: FusedConvolution = self
    (plain.epilogue, plain.takesStatistics) = ([], false)
    let part: KernelRequest = request.withoutInputs(from: coreInputCount)
    guard let kernel = try plain.libraryKernel(part, order: order) else { return nil }
    return try kernel.followed(by: epilogue, of: request)
  }
}

extension ConvolutionOperator {
  /// Returns the sizes of this convolution for the library. Nil if the sizes exceed the library's limits.
  func libraryDescription(_ request: KernelRequest) throws -> adnn_convolution? {
    let (input, output) = (request.inputs[0].shape, request.outputs[0].shape)
    guard
      var description = try adnn_convolution(
        sizesOf: FusedConvolution(self), input: input, output: output),
      let bottom = Int64(
        exactly: trailing(
          input[-2], output[-2], stride.height, window.height, Int(description.pad_top))),
      let right = Int64(
        exactly: trailing(
          input[-1], output[-1], stride.width, window.width, Int(description.pad_left)))
    else { return nil }
    // The library cannot describe a convolution that leaves the last rows or columns of its image unread. A stride can
    // cause this, for example after a crop.
    guard
      isDeconvolution
        || description.pad_top >= 0 && description.pad_left >= 0
          && bottom > -description.stride_height && right > -description.stride_width
    else { return nil }
    description.pad_bottom = bottom
    description.pad_right = right
    description.groups = Int64(groups)
    description.deconvolution = isDeconvolution ? 1 : 0
    return description
  }

  /// Returns the padding at the bottom or right that gives the output size.
  private func trailing(
    _ input: Int, _ output: Int, _ stride: Int, _ window: Int, _ before: Int
  ) -> Int {
    isDeconvolution
      ? (input - 1) * stride + window - before - output
      : (output - 1) * stride + window - input - before
  }
}

/// Runs oneDNN's convolution.
package final class LibraryConvolutionStep: Step, @unchecked Sendable {
  private let weighted: WeightedPrimitive
  private let residual: ResidualCopy?

  init(_ weighted: WeightedPrimitive, _ residual: ResidualCopy?) {
    self.weighted = weighted
    self.residual = residual
  }

  package override var detail: String { weighted.detail }

  package override func makeState() throws -> AnyObject? { try DNNExecution(weighted.primitive) }

  package override func run(_ memory: StepMemory) throws {
    try residual?.run(memory)
    try weighted.run(
      memory, source: memory.inputs[0], destination: memory.outputs[0], scratch: memory.scratch)
  }
}

/// Copies the residual into the output. oneDNN's convolution then adds to the output.
struct ResidualCopy: Sendable {
  private let input: Int
  private let type: ck_type
  private let sizes: [Int64]
  private let sourceStrides: [Int64]
  private let destinationStrides: [Int64]
  private let sourceOffset: Int

  init(
    input: Int, image: TensorDescriptor, residual: CropOperator.Offset,
    destination: TensorDescriptor
  ) {
    self.input = input
    type = destination.storage == .bfloat16 ? CK_BF16 : CK_F32
    let map = FeatureMap(ofRankThreeOrMore: destination.shape)
    let (width, height) = (image.shape[-1], image.shape[-2])
    sizes = [map.batch, map.height, map.width * map.channels].map(Int64.init)
    sourceStrides = [height * width * map.channels, width * map.channels, 1].map(Int64.init)
    destinationStrides =
      [map.height * map.width * map.channels, map.width * map.channels, 1].map(Int64.init)
    sourceOffset = residual.byteOffset(in: image)
  }

  func run(_ memory: StepMemory) throws {
    if memory.inputs[input] == memory.outputs[0] { return }
    // Safe: shape inference checked that the residual has an element for each element of the output.
    let status = ck_copy(
      3, sizes, memory.inputs[input] + sourceOffset, type, sourceStrides, memory.outputs[0], type,
      destinationStrides)
    guard status == 0 else {
      throw EngineError(.backend, "the kernel could not copy the residual.")
    }
  }
}
