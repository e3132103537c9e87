/// Moves tensors between reference values and planned memory; for constants, definitions and tests.
///
/// Values are converted to the memory's type as ``ReferenceTensor/converted(to:)`` does.
public enum TensorCodec {
  /// Writes a tensor into memory of the given form.
  public static func pack(
    _ tensor: ReferenceTensor, as form: TensorDescriptor, into memory: UnsafeMutableRawPointer
  ) {
    precondition(tensor.shape.count == form.shape.count, "\(tensor.shape) packed as \(form)")
    precondition(!form.storage.isPacked, "no plan stores \(form.storage)")
    if form.storage.isFloatingPoint {
      let values: [Double] = tensor.reals
      each(of: form) { position, place in store(values[position], form.storage, memory, place) }
    } else {
      let numbers: [Int64] = tensor.converted(to: form.storage).wholes
      each(of: form) { position, place in store(numbers[position], form.storage, memory, place) }
    }
  }

  /// Reads a tensor from memory of the given form.
  public static func unpack(_ memory: UnsafeRawPointer, as form: TensorDescriptor)
    -> ReferenceTensor
  {
    precondition(!form.storage.isPacked, "no plan stores \(form.storage)")
    var result = ReferenceTensor(form.shape, repeating: 0, form.storage)
    if form.storage.isFloatingPoint {
      each(of: form) { position, place in
        result.values[position] = real(form.storage, memory, place)
      }
    } else {
      each(of: form) { position, place in
        result.wholes[position] = whole(form.storage, memory, place)
      }
    }
    return result
  }

  /// Calls the closure with every position in row-major order and where its element lies, in elements.
  private static func each(
    of form: TensorDescriptor, _ body: (_ position: Int, _ place: Int) -> Void
  ) {
    if form.layout == .dense || form.isOrderFree {
      for position in 0..<form.shape.count { body(position, position) }
      return
    }
    let strides: [Int] = form.strides
    form.shape.forEachIndex { index, position in
      var place = 0
      for axis in index.indices { place += index[axis] * strides[axis] }
      body(position, place)
    }
  }

  // Safe: callers give memory of `form.byteCount` bytes and strides stay within the shape.
  private static func store(
    _ value: Double, _ type: ElementType, _ memory: UnsafeMutableRawPointer, _ place: Int
  ) {
    switch type {
    case .bfloat16:
      memory.storeBytes(of: BFloat16.bits(of: value), toByteOffset: place * 2, as: UInt16.self)
    case .float16:
      memory.storeBytes(of: Float16(value), toByteOffset: place * 2, as: Float16.self)
    case .float64: memory.storeBytes(of: value, toByteOffset: place * 8, as: Double.self)
    default: memory.storeBytes(of: Float(value), toByteOffset: place * 4, as: Float.self)
    }
  }

  private static func store(
    _ value: Int64, _ type: ElementType, _ memory: UnsafeMutableRawPointer, _ place: Int
  ) {
    switch type.byteCount {
    case 1:
      memory.storeBytes(
        of: UInt8(truncatingIfNeeded: value), toByteOffset: place, as: UInt8.self)
    case 2:
      memory.storeBytes(
        of: UInt16(truncatingIfNeeded: value), toByteOffset: place * 2, as: UInt16.self)
    case 4:
      memory.storeBytes(
        of: UInt32(truncatingIfNeeded: value), toByteOffset: place * 4, as: UInt32.self)
    default: memory.storeBytes(of: value, toByteOffset: place * 8, as: Int64.self)
    }
  }

  private static func real(_ type: ElementType, _ memory: UnsafeRawPointer, _ place: Int) -> Double
  {
    switch type {
    case .bfloat16:
      return Double(
        BFloat16.value(of: memory.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self)))
    case .float16:
      return Double(memory.loadUnaligned(fromByteOffset: place * 2, as: Float16.self))
    case .float64: return memory.loadUnaligned(fromByteOffset: place * 8, as: Double.self)
    default: return Double(memory.loadUnaligned(fromByteOffset: place * 4, as: Float.self))
    }
  }

  private static func whole(_ type: ElementType, _ memory: UnsafeRawPointer, _ place: Int) -> Int64
  {
    switch type {
    case .bool: return memory.loadUnaligned(fromByteOffset: place, as: UInt8.self) == 0 ? 0 : 1
    case .int8: return Int64(memory.loadUnaligned(fromByteOffset: place, as: Int8.self))
    case .uint8: return Int64(memory.loadUnaligned(fromByteOffset: place, as: UInt8.self))
    case .int16: return Int64(memory.loadUnaligned(fromByteOffset: place * 2, as: Int16.self))
    case .uint16: return Int64(memory.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self))
    case .int32: return Int64(memory.loadUnaligned(fromByteOffset: place * 4, as: Int32.self))
    case .uint32: return Int64(memory.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
    default: return memory.loadUnaligned(fromByteOffset: place * 8, as: Int64.self)
    }
  }
}

/// The 16-bit format with the exponent of `Float` and 8 bits of mantissa.
public enum BFloat16 {
  /// The nearest value's bits, ties to even; NaN stays NaN.
  public static func bits(of value: Float) -> UInt16 {
    let bits: UInt32 = value.bitPattern
    if value.isNaN { return UInt16(truncatingIfNeeded: bits >> 16) | 0x40 }
    let rounding: UInt32 = 0x7FFF + ((bits >> 16) & 1)
    return UInt16(truncatingIfNeeded: (bits &+ rounding) >> 16)
  }

  /// The nearest value's bits, ties to even, rounded once.
  public static func bits(of value: Double) -> UInt16 {
    let nearest = Float(value)
    guard nearest.isFinite, Double(nearest) != value else { return bits(of: nearest) }
    // Towards zero with an odd last bit: that is on the right side of every tie.
    let truncated =
      Double(nearest).magnitude > value.magnitude ? nearest.bitPattern - 1 : nearest.bitPattern
    return bits(of: Float(bitPattern: truncated | 1))
  }

  /// The value of the bits.
  public static func value(of bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }

  /// The nearest value, ties to even.
  public static func nearest(to value: Double) -> Float { self.value(of: bits(of: value)) }
}
