import Graph
import COneDNN

extension Kernel {
  /// A kernel that copies a tensor from one form into another; nil when the forms cannot be
  /// reordered (another element count, a type that no kernel stores).
  package static func reorder(from source: TensorDescriptor, to destination: TensorDescriptor)
    throws
    -> Kernel?
  {
    guard source.shape.count == destination.shape.count else { return nil }
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
  /// oneDNN's name of the type, for those that it computes with.
  public var dnnType: adnn_type? {
    switch self {
    case .float32: return ADNN_F32
    case .bfloat16: return ADNN_BF16
    case .float16: return ADNN_F16
    case .int32: return ADNN_S32
    case .int8: return ADNN_S8
    default: return nil
    }
  }
}

extension Layout {
  /// oneDNN's name of the layout for `[N, C, H, W]`.
  public var dnnLayout: adnn_layout { self == .channelsLast ? ADNN_NHWC : ADNN_NCHW }
}
