import COneDNN

extension Kernel {
  /// A kernel that copies a tensor from one form into another; nil when the forms cannot be
  /// reordered (another element count, a type that no kernel stores).
  static func reorder(from source: TensorDescriptor, to destination: TensorDescriptor) throws
    -> Kernel?
  {
    guard source.shape.count == destination.shape.count else { return nil }
    guard
      let sourceType = source.storage.dnnType, let destinationType = destination.storage.dnnType
    else { return nil }
    let moves = source.layout != destination.layout && !source.isOrderFree
    let shape = source.shape
    let planes = moves ? shape.dimensions.dropLast(3).reduce(1, *) : 1
    var description = adnn_reorder(
      batch: Int32(planes), channels: moves ? Int32(shape[-3]) : 1,
      height: moves ? Int32(shape[-2]) : 1,
      width: moves ? Int32(shape[-1]) : Int32(shape.count), source_type: sourceType,
      destination_type: destinationType,
      source_layout: moves && source.layout == .channelsLast ? ADNN_NHWC : ADNN_NCHW,
      destination_layout: moves && destination.layout == .channelsLast ? ADNN_NHWC : ADNN_NCHW)
    let primitive = try DNNPrimitive.make { adnn_reorder_create(&description, $0) }
    guard let primitive else { return nil }
    return Kernel(
      DNNStep(primitive), inputs: [source], outputs: [destination],
      scratchByteCount: primitive.scratchByteCount)
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
