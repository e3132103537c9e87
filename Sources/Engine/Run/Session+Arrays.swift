import CKernels

/// Elements of an array that somebody else owns, with the distances between them.
public struct ArrayView {
  /// The element at index zero.
  public let base: UnsafeMutableRawPointer
  /// The type of the elements.
  public let element: ElementType
  /// The extents, outermost first.
  public let extents: [Int]
  /// Distances in elements, outermost first; zero repeats.
  public let strides: [Int]

  /// A view over memory that lives as long as it is used.
  public init(
    base: UnsafeMutableRawPointer, element: ElementType, extents: [Int], strides: [Int]
  ) {
    self.base = base
    self.element = element
    self.extents = extents
    self.strides = strides
  }
}

extension Session {
  /// Copies an array into an input, converting its element type.
  ///
  /// The array may have fewer or more dimensions than the input as long as the order of its elements
  /// is the same, as for `[C, H, W]` and `[1, 1, C, H, W]`.
  public func load(_ array: ArrayView, into index: Int) throws {
    let port = plan.inputs[index]
    try Self.copy(array, port, to: pointer(port.location), isInput: true)
  }

  /// Copies an output into an array, converting to its element type (integers are rounded and
  /// clamped).
  public func store(_ index: Int, into array: ArrayView) throws {
    let port = plan.outputs[index]
    try Self.copy(array, port, to: pointer(port.location), isInput: false)
  }

  private static func copy(
    _ array: ArrayView, _ port: Plan.Port, to tensor: UnsafeMutableRawPointer, isInput: Bool
  ) throws {
    let form = port.location.form
    let shape = Shape(array.extents)
    guard let type = array.element.kernelType, let formType = form.storage.kernelType,
      let sides = matched(shape, array.strides, form)
    else {
      throw EngineError(
        .invalidInput,
        "'\(port.name)' is \(form.shape) here; an array of \(array.element) \(shape) does not fit it."
      )
    }
    let extents = sides.map { Int64($0.extent) }
    let outer = sides.map { Int64($0.array) }
    let inner = sides.map { Int64($0.tensor) }
    // Safe: both sides have the same extents, and the strides were checked to cover them.
    let status =
      isInput
      ? ck_copy(Int32(sides.count), extents, array.base, type, outer, tensor, formType, inner)
      : ck_copy(Int32(sides.count), extents, tensor, formType, inner, array.base, type, outer)
    guard status == 0 else {
      throw EngineError(.backend, "'\(port.name)' could not be copied as \(array.element).")
    }
  }

  private struct Side {
    var extent: Int
    var array: Int
    var tensor: Int
  }

  /// One entry a dimension longer than one, or nil when the shapes differ by more than ones.
  private static func matched(_ shape: Shape, _ strides: [Int], _ form: TensorDescriptor)
    -> [Side]?
  {
    guard shape.rank == strides.count else { return nil }
    let outer = zip(shape.dimensions, strides).filter { $0.0 != 1 }
    let inner = zip(form.shape.dimensions, form.strides).filter { $0.0 != 1 }
    guard outer.count <= 8, outer.map(\.0) == inner.map(\.0) else { return nil }
    if outer.isEmpty { return [Side(extent: 1, array: 1, tensor: 1)] }
    return zip(outer, inner).map { Side(extent: $0.0, array: $0.1, tensor: $1.1) }
  }
}

extension ElementType {
  /// CKernels' name of the type, for those that it copies.
  public var kernelType: ck_type? {
    switch self {
    case .float32: return CK_F32
    case .bfloat16: return CK_BF16
    case .float16: return CK_F16
    case .float64: return CK_F64
    case .int8: return CK_S8
    case .int32: return CK_S32
    case .int64: return CK_S64
    case .bool: return CK_U8
    }
  }
}
