import CKernels
import COneDNN
import Graph

extension Kernel {
  /// A kernel that copies a tensor from one form into another; nil when the forms cannot be
  /// reordered (another element count, a type that no kernel stores).
  package static func reorder(from source: TensorDescriptor, to destination: TensorDescriptor)
    throws
    -> Kernel?
  {
    guard source.shape.count == destination.shape.count else { return nil }
    let areFloats: Bool = source.storage.dnnFloat != nil && destination.storage.dnnFloat != nil
    let areNarrow: Bool = source.storage == .bfloat16 || destination.storage == .bfloat16
    if source.storage == destination.storage && !areFloats
      || areFloats && areNarrow && !Processor.current.hasAVX512
    {
      return copy(from: source, to: destination)
    }
    guard
      let sourceType = source.storage.dnnType, let destinationType = destination.storage.dnnType
    else { return nil }
    let moves = source.layout != destination.layout && !source.isOrderFree
    let shape = source.shape
    let extents = moves ? planes(of: shape) : rows(of: shape)
    var description = adnn_reorder(
      batch: extents[0], channels: extents[1], height: extents[2], width: extents[3],
      source_type: sourceType,
      destination_type: destinationType,
      source_layout: moves && source.layout == .channelsLast ? ADNN_NHWC : ADNN_NCHW,
      destination_layout: moves && destination.layout == .channelsLast ? ADNN_NHWC : ADNN_NCHW)
    let primitive = try DNNPrimitive.make { adnn_reorder_create(&description, $0) }
    guard let primitive else { return nil }
    return Kernel(
      DNNStep(primitive), inputs: [source], outputs: [destination],
      scratchByteCount: primitive.scratchByteCount)
  }

  /// The same elements, which nobody computes with, in another layout: the library would make floats of
  /// whole numbers on the way. Or floats of another type: for bfloat16 it has plain loops on processors without AVX-512.
  private static func copy(from source: TensorDescriptor, to destination: TensorDescriptor)
    -> Kernel?
  {
    let moves = source.layout != destination.layout && !source.isOrderFree
    guard let type = source.storage.kernelType, let made = destination.storage.kernelType else {
      return nil
    }
    let shape: Shape = source.shape
    let axes: [Int] = shape.dimensions.indices.filter { shape[$0] != 1 }
    var extents: [Int64] = [Int64(shape.count)]
    var (from, to): ([Int64], [Int64]) = ([1], [1])
    if moves {
      extents = axes.map { Int64(shape[$0]) }
      from = axes.map { Int64(source.strides[$0]) }
      to = axes.map { Int64(destination.strides[$0]) }
    }
    guard extents.count <= 8 else { return nil }
    let (rank, sourceStrides, targetStrides) = (Int32(extents.count), from, to)
    let step = ClosureStep { [extents] memory in
      // Safe: both memories hold the shape in their layout.
      let status = ck_copy(
        rank, extents, memory.inputs[0], type, sourceStrides, memory.outputs[0], made,
        targetStrides)
      precondition(status == 0, "a native kernel refused its arguments")
    }
    return Kernel(step, inputs: [source], outputs: [destination])
  }

  /// Batch, channels, height and width.
  private static func planes(of shape: Shape) -> [Int64] {
    let batch = Shape(Array(shape.dimensions.dropLast(3))).count
    return ([batch] + shape.dimensions.suffix(3)).map { Int64($0) }
  }

  /// All elements as rows that are as long as 32 bits can count.
  private static func rows(of shape: Shape) -> [Int64] {
    var length = 1
    var batch = 1
    for extent in shape.dimensions.reversed() {
      if batch == 1, length * extent <= Int(Int32.max) { length *= extent } else { batch *= extent }
    }
    return [Int64(batch), 1, 1, Int64(length)]
  }
}

extension ElementType {
  /// oneDNN's name of the type where it has fractions.
  fileprivate var dnnFloat: adnn_type? { isFloatingPoint ? dnnType : nil }

  /// oneDNN's name of the type, for those that it computes with.
  public var dnnType: adnn_type? {
    switch self {
    case .float32: return ADNN_F32
    case .bfloat16: return ADNN_BF16
    case .float16: return ADNN_F16
    case .int32: return ADNN_S32
    case .int8: return ADNN_S8
    case .uint8: return ADNN_U8
    default: return nil
    }
  }
}
