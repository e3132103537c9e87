import Backends
import CKernels
import COneDNN
import Graph
import Operators

extension ConvolutionWeightsGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("weights gradient on matrix tiles") { tileKernel($0) },
      KernelCandidate("Winograd weights gradient") { winogradKernel($0) },
      KernelCandidate("oneDNN weights gradient") { try libraryKernel($0) },
    ]
  }

  /// Returns the forms of the inputs: channels-last, in bfloat16 if the plan allows it. Sums are float32.
  func forms(_ request: KernelRequest) -> [TensorDescriptor] {
    let storage: ElementType = request.precision == .bfloat16 ? .bfloat16 : .float32
    return request.inputs.map { TensorDescriptor($0.shape, storage, .channelsLast) }
  }

  /// Makes a kernel of Winograd's algorithm, for 3 × 3 kernels of stride 1.
  private func winogradKernel(_ request: KernelRequest) -> Kernel? {
    let one = ConvolutionOperator.Pair(1, 1)
    guard groups == 1, stride == one, dilation == one, weightShape[2] == 3, weightShape[3] == 3,
      weightShape[0] >= 32, weightShape[1] >= 32
    else { return nil }
    let forms: [TensorDescriptor] = forms(request)
    let large = FeatureMap(ofRankThreeOrMore: forms[0].shape)
    let small = FeatureMap(ofRankThreeOrMore: forms[1].shape)
    guard large.fitsLibraries, small.fitsLibraries else { return nil }
    var description = ck_winograd_weights_gradient()
    description.batch = Int64(large.batch)
    description.input_channels = Int64(large.channels)
    description.input_height = Int64(large.height)
    description.input_width = Int64(large.width)
    description.output_channels = Int64(small.channels)
    description.output_height = Int64(small.height)
    description.output_width = Int64(small.width)
    description.pad_top = Int64(top)
    description.pad_left = Int64(left)
    description.type = forms[0].storage == .bfloat16 ? CK_BF16 : CK_F32
    description.winograd_tile = Int32(
      FusedConvolution.winogradTile(
        request.precision, isTolerant: request.isTolerant,
        pixels: small.batch * small.height * small.width))
    description.threads = Int32(request.threads)
    return ownKernel(
      forms, scratchByteCount: ck_winograd_weights_gradient_scratch_bytes(&description)
    ) { [description] memory, weights in
      withUnsafePointer(to: description) {
        ck_winograd_weights_gradient_run(
          $0, memory.inputs[0], memory.inputs[1], weights, memory.scratch)
      }
    }
  }

  /// Makes one of our kernels, which writes the weights in the specification's order. A scratch size of 0 means that
  /// the kernel does not support the sizes. The result is then nil.
  ///
  /// - Parameter run: Writes the weights. Returns 0 for success.
  func ownKernel(
    _ forms: [TensorDescriptor], scratchByteCount: Int,
    run: @escaping @Sendable (StepMemory, UnsafeMutablePointer<Float>) -> Int32
  ) -> Kernel? {
    guard scratchByteCount > 0 else { return nil }
    let step = ClosureStep { memory in
      // Safe: the kernel's output has the weights' shape in float32.
      guard run(memory, memory.outputs[0].assumingMemoryBound(to: Float.self)) == 0 else {
        throw EngineError(.backend, "the gradient of the weights rejected its arguments.")
      }
    }
    return Kernel(
      step, inputs: forms, outputs: [TensorDescriptor(weightShape)],
      scratchByteCount: scratchByteCount)
  }

  private func libraryKernel(_ request: KernelRequest) throws -> Kernel? {
    let forms: [TensorDescriptor] = forms(request)
    let isSwapped: Bool = prefersSwapping
    guard var description = isSwapped ? swapped(forms) : direct(forms) else { return nil }
    description.source_type = forms[0].storage == .bfloat16 ? ADNN_BF16 : ADNN_F32
    description.source_layout = ADNN_NHWC
    description.destination_layout = ADNN_NHWC
    let primitive = try DNNPrimitive.make {
      adnn_convolution_weights_gradient_create(&description, $0)
    }
    guard let primitive else { return nil }
    let step = WeightsGradientStep(primitive, shape: weightShape, isSwapped: isSwapped)
    return Kernel(
      step, inputs: forms, outputs: [TensorDescriptor(weightShape)],
      scratchByteCount: step.scratchByteCount)
  }

  /// Whether the gradient and the input exchange roles. oneDNN then convolves the gradient with the input, and the
  /// resulting kernel is mirrored. With few output channels, this exchange is several times faster (32 → 3 channels,
  /// 9 × 9: 40 instead of 133 ms).
  private var prefersSwapping: Bool {
    let one = ConvolutionOperator.Pair(1, 1)
    return groups == 1 && stride == one && dilation == one && weightShape[0] < 16
      && weightShape[1] >= 16
  }

  private func direct(_ forms: [TensorDescriptor]) -> adnn_convolution? {
    description(
      large: FeatureMap(ofRankThreeOrMore: forms[0].shape),
      small: FeatureMap(ofRankThreeOrMore: forms[1].shape), top: top, left: left)
  }

  private func swapped(_ forms: [TensorDescriptor]) -> adnn_convolution? {
    description(
      large: FeatureMap(ofRankThreeOrMore: forms[1].shape),
      small: FeatureMap(ofRankThreeOrMore: forms[0].shape), top: weightShape[2] - 1 - top,
      left: weightShape[3] - 1 - left)
  }

  /// Describes the convolution for oneDNN. Nil if a size exceeds 32 bits.
  private func description(large: FeatureMap, small: FeatureMap, top: Int, left: Int)
    -> adnn_convolution?
  {
    let height: Int = dilation.height * (weightShape[2] - 1) + 1
    let width: Int = dilation.width * (weightShape[3] - 1) + 1
    guard large.fitsLibraries, small.fitsLibraries,
      let bottom = Int64(
        exactly: (small.height - 1) * stride.height + height - large.height - top),
      let right = Int64(exactly: (small.width - 1) * stride.width + width - large.width - left)
    else { return nil }
    var result = adnn_convolution()
    result.set(
      input: large, output: small,
      kernel: ConvolutionOperator.Pair(weightShape[2], weightShape[3]), stride: stride,
      dilation: dilation, top: Int64(top), left: Int64(left))
    result.groups = Int64(groups)
    result.pad_bottom = bottom
    result.pad_right = right
    return result
  }
}

/// Runs oneDNN's gradient into scratch memory and converts the weights to the specification's order.
///
/// The scratch memory holds first the library's own scratch memory, then the packed gradient. If the roles are
/// exchanged, the unpacked gradient before mirroring comes third.
package final class WeightsGradientStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let shape: Shape
  /// Whether the gradient and the input have exchanged roles, so that the result must be mirrored.
  private let isSwapped: Bool
  private let packedOffset: Int
  private let plainOffset: Int
  package let scratchByteCount: Int

  package init(_ primitive: DNNPrimitive, shape: Shape, isSwapped: Bool) {
    self.primitive = primitive
    self.shape = shape
    self.isSwapped = isSwapped
    packedOffset = primitive.scratchByteCount.roundedToLine
    plainOffset = packedOffset + primitive.destinationByteCount.roundedToLine
    scratchByteCount = plainOffset + (isSwapped ? shape.count * 4 : 0)
  }

  package override var detail: String { primitive.implementation + (isSwapped ? ", swapped" : "") }

  package override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  package override func run(_ memory: StepMemory) throws {
    // Safe: the state comes from makeState(), and the offsets are inside the scratch memory that the kernel states.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    let packed: UnsafeMutableRawPointer = memory.scratch + packedOffset
    try execution.run(
      source: memory.inputs[isSwapped ? 1 : 0], weights: memory.inputs[isSwapped ? 0 : 1],
      destination: packed, scratch: memory.scratch)
    let output = memory.outputs[0].assumingMemoryBound(to: Float.self)
    guard isSwapped else {
      try primitive.unpack(packed, into: output)
      return
    }
    let plain = (memory.scratch + plainOffset).assumingMemoryBound(to: Float.self)
    try primitive.unpack(packed, into: plain)
    MirroredWeights(inputs: shape[1], outputs: shape[0], area: shape[2] * shape[3])
      .mirror(plain, into: output)
  }
}
