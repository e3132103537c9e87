import Backends
import CKernels
import COneDNN
import Graph
import Operators

extension Convolution3DOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("oneDNN 3D convolution") { try volumeKernel($0) }]
  }

  /// Makes a kernel that runs one of oneDNN's channels-last primitives. These are many times faster than oneDNN's
  /// primitives for dense planes. The kernel reorders the volumes to channels-last and back.
  ///
  /// The kernel reads and writes dense memory. Both tensors are `bfloat16` if the plan allows it, but results with at
  /// most four channels are `float32`. Nil if a window is entirely outside of the volume.
  private func volumeKernel(_ request: KernelRequest) throws -> Kernel? {
    let shape: Shape = request.inputs[0].shape
    let axes: [Axis] = try axes(shape)
    let arithmetic: ElementType = request.libraryPrecision == .bfloat16 ? .bfloat16 : .float32
    var source: TensorDescriptor = request.followed()
    source.layout = .dense
    let target = TensorDescriptor(
      request.outputs[0].shape, outputChannels <= 4 ? .float32 : arithmetic)
    guard source.shape.count > 0, target.shape.count > 0, source.shape.isMeasurable,
      target.shape.isMeasurable
    else { return nil }
    guard
      var description = description(shape, axes, source: arithmetic, target: target.storage),
      let primitive = try DNNPrimitive.make({ adnn_volume_convolution_create(&description, $0) })
    else { return nil }
    let weighted = WeightedPrimitive(primitive, request, bias: hasBias ? 2 : nil)
    let step = VolumeStep(weighted, source: source, as: arithmetic, target: target)
    return Kernel(
      step, inputs: [source] + weighted.forms(request), outputs: [target],
      weights: weighted.weights,
      scratchByteCount: step.scratchByteCount)
  }

  /// Returns oneDNN's description of the convolution. Nil if the padding exceeds oneDNN's limits.
  private func description(
    _ shape: Shape, _ axes: [Axis], source: ElementType, target: ElementType
  ) -> adnn_volume_convolution? {
    guard let sourceType = source.oneDNN, let targetType = target.oneDNN else { return nil }
    var result = adnn_volume_convolution()
    result.batch = Int64(shape[0])
    result.input_channels = Int64(inputChannels)
    result.output_channels = Int64(outputChannels)
    result.groups = Int64(groups)
    result.deconvolution = isTransposed ? 1 : 0
    result.has_bias = hasBias ? 1 : 0
    (result.source_type, result.weights_type) = (sourceType, sourceType)
    result.destination_type = targetType
    result.layout = ADNN_NHWC
    let before: [Int] = axes.map(\.before)
    var after: [Int] = []
    for axis in 0..<3 {
      let reach: Int = dilation[axis] * (kernel[axis] - 1) + 1
      // In a transposed convolution, each element of the input has a window in the output.
      let windows: Int = isTransposed ? shape[2 + axis] : axes[axis].output
      let covered: Int = isTransposed ? axes[axis].output : shape[2 + axis]
      after.append((windows - 1) * stride[axis] + reach - covered - before[axis])
      guard before[axis] < reach, after[axis] < reach, after[axis] > -stride[axis] else {
        return nil
      }
    }
    let extents: [Int] = shape.dimensions[2...].map { $0 }
    result.input = Self.three(extents)
    result.output = Self.three(axes.map(\.output))
    result.kernel = Self.three(kernel)
    result.stride = Self.three(stride)
    result.dilation = Self.three(dilation)
    result.before = Self.three(before)
    result.after = Self.three(after)
    return result
  }

  private static func three(_ values: [Int]) -> (Int64, Int64, Int64) {
    (Int64(values[0]), Int64(values[1]), Int64(values[2]))
  }
}

/// Runs a oneDNN primitive for channels-last volumes on dense tensors `[N, C, D, H, W]`.
///
/// The scratch memory holds both volumes in channels-last order (if that order differs from the dense one), then the
/// primitive's scratch memory.
private final class VolumeStep: Step, @unchecked Sendable {
  private let weighted: WeightedPrimitive
  private let input: VolumeCopy?
  private let output: VolumeCopy?
  private let outputOffset: Int
  private let primitiveOffset: Int
  let scratchByteCount: Int

  init(
    _ weighted: WeightedPrimitive, source: TensorDescriptor, as arithmetic: ElementType,
    target: TensorDescriptor
  ) {
    self.weighted = weighted
    input = VolumeCopy(source, arithmetic, toInterleaved: true)
    output = VolumeCopy(target, target.storage, toInterleaved: false)
    outputOffset = input.map { $0.byteCount } ?? 0
    primitiveOffset = outputOffset + (output.map { $0.byteCount } ?? 0)
    scratchByteCount = primitiveOffset + weighted.scratchByteCount
  }

  override var detail: String { weighted.detail }
  override func makeState() throws -> AnyObject? { try DNNExecution(weighted.primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: scratch memory has the size that the kernel states, and the copies stay inside the forms' memory.
    var source: UnsafeMutableRawPointer = memory.inputs[0]
    var target: UnsafeMutableRawPointer = memory.outputs[0]
    if let input {
      input.run(from: source, to: memory.scratch)
      source = memory.scratch
    }
    if output != nil { target = memory.scratch + outputOffset }
    try weighted.run(
      memory, source: source, destination: target, scratch: memory.scratch + primitiveOffset)
    output?.run(from: target, to: memory.outputs[0])
  }
}

/// Copies volumes from dense to channels-last order, or back.
private struct VolumeCopy: Sendable {
  private let extents: [Int64]
  private let sourceStrides: [Int64]
  private let targetStrides: [Int64]
  private let sourceType: ck_type
  private let targetType: ck_type
  /// The size in bytes of the channels-last copy, rounded up to cache lines.
  let byteCount: Int

  /// Creates the copy between a dense tensor and a channels-last tensor of the type `interleaved`. Nil if the two
  /// tensors can be the same memory, so that no copy is needed.
  init?(_ dense: TensorDescriptor, _ interleaved: ElementType, toInterleaved: Bool) {
    let (batch, channels) = (dense.shape[0], dense.shape[1])
    let elements: Int = dense.shape.product(2..<5)
    let other = TensorDescriptor(dense.shape, interleaved)
    if dense.storage == interleaved && (channels == 1 || elements == 1) { return nil }
    let planes: [Int64] = [channels * elements, 1, elements].map(Int64.init)
    let pixels: [Int64] = [channels * elements, channels, 1].map(Int64.init)
    extents = [batch, elements, channels].map(Int64.init)
    (sourceStrides, targetStrides) = toInterleaved ? (planes, pixels) : (pixels, planes)
    (sourceType, targetType) =
      toInterleaved
      ? (dense.kernelType, other.kernelType) : (other.kernelType, dense.kernelType)
    byteCount = (other.byteCount + 63) / 64 * 64
  }

  func run(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    requireNative(
      ck_copy(3, extents, source, sourceType, sourceStrides, target, targetType, targetStrides))
  }
}
