import CKernels
import COneDNN
import Graph

extension Kernel {
  /// Returns a kernel that copies a tensor from one form to another; nil if the forms have different element counts
  /// or a type that no kernel stores.
  package static func reorder(from source: TensorDescriptor, to destination: TensorDescriptor)
    throws
    -> Kernel?
  {
    guard source.shape.count == destination.shape.count else { return nil }
    let areFloats: Bool = source.storage.dnnFloat != nil && destination.storage.dnnFloat != nil
    let hasFloat16: Bool = source.storage == .float16 || destination.storage == .float16
    let hasBFloat16: Bool = source.storage == .bfloat16 || destination.storage == .bfloat16
    if source.storage == destination.storage && !areFloats
      || areFloats && (hasFloat16 || hasBFloat16 && !Processor.current.hasAVX512)
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

  /// Makes our own kernel, which copies elements into another layout or converts between floating-point types. Returns
  /// nil for types or ranks that our kernel does not support. Our kernel is needed for integers, because oneDNN would
  /// convert them to floats on the way. It is also needed for float16, which the installed program's replacement of
  /// oneDNN does not store, and for bfloat16 on processors without AVX-512, because oneDNN has only unoptimised kernels
  /// for such processors.
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
      // Safe: the memory of each tensor holds all elements of the shape in the tensor's layout.
      let status = ck_copy(
        rank, extents, memory.inputs[0], type, sourceStrides, memory.outputs[0], made,
        targetStrides)
      precondition(status == 0, "a native kernel rejected its arguments")
    }
    return Kernel(step, inputs: [source], outputs: [destination])
  }

  /// Returns the extents of the shape as batch, channels, height and width. The batch is the product of all extents
  /// before the channels.
  private static func planes(of shape: Shape) -> [Int64] {
    let batch = Shape(Array(shape.dimensions.dropLast(3))).count
    return ([batch] + shape.dimensions.suffix(3)).map { Int64($0) }
  }

  /// Arranges all elements of the shape as a matrix. A row is as long as possible, but its length fits in 32 bits.
  /// Returns `[rows, 1, 1, row length]`, in the order batch, channels, height and width.
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
  /// The type's name in oneDNN if it is a floating-point type.
  fileprivate var dnnFloat: adnn_type? { isFloatingPoint ? dnnType : nil }

  /// The type's name in oneDNN; nil for types with which oneDNN does not compute.
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
