/// Converts tensors between reference values and a plan's memory, for constants, reference implementations and tests.
///
/// The conversion to the element type of the memory follows the rules of ``ReferenceTensor/converted(to:)``.
public enum TensorCodec {
  /// Writes a tensor into memory of the given form.
  public static func pack(
    _ tensor: ReferenceTensor, as form: TensorDescriptor, into memory: UnsafeMutableRawPointer
  ) {
    precondition(tensor.shape.count == form.shape.count, "\(tensor.shape) packed as \(form)")
    precondition(!form.storage.isPacked, "no plan stores \(form.storage)")
    if form.storage.isFloatingPoint {
      let values: [Double] = tensor.reals
      each(of: form) { position, offset in store(values[position], form.storage, memory, offset) }
    } else {
      let numbers: [Int64] = tensor.converted(to: form.storage).integerValues
      each(of: form) { position, offset in store(numbers[position], form.storage, memory, offset) }
    }
  }

  /// Reads a tensor from memory of the given form.
  public static func unpack(_ memory: UnsafeRawPointer, as form: TensorDescriptor)
    -> ReferenceTensor
  {
    precondition(!form.storage.isPacked, "no plan stores \(form.storage)")
    var result = ReferenceTensor(form.shape, repeating: 0, form.storage)
    if form.storage.isFloatingPoint {
      each(of: form) { position, offset in
        result.values[position] = real(form.storage, memory, offset)
      }
    } else {
      each(of: form) { position, offset in
        result.integerValues[position] = integer(form.storage, memory, offset)
      }
    }
    return result
  }

  /// Calls the closure for every element in row-major order, with the element's position in this order and its offset
  /// in memory, in elements.
  private static func each(
    of form: TensorDescriptor, _ body: (_ position: Int, _ offset: Int) -> Void
  ) {
    if form.layout == .dense || form.isOrderFree {
      for position in 0..<form.shape.count { body(position, position) }
      return
    }
    let strides: [Int] = form.strides
    form.shape.forEachIndex { index, position in
      var offset = 0
      for axis in index.indices { offset += index[axis] * strides[axis] }
      body(position, offset)
    }
  }

  // Safe: callers supply memory of `form.byteCount` bytes, and every offset is within this memory.
  private static func store(
    _ value: Double, _ type: ElementType, _ memory: UnsafeMutableRawPointer, _ offset: Int
  ) {
    switch type {
    case .bfloat16:
      memory.storeBytes(of: BFloat16.bits(of: value), toByteOffset: offset * 2, as: UInt16.self)
    case .float16:
      memory.storeBytes(of: Float16(value), toByteOffset: offset * 2, as: Float16.self)
    case .float64: memory.storeBytes(of: value, toByteOffset: offset * 8, as: Double.self)
    default: memory.storeBytes(of: Float(value), toByteOffset: offset * 4, as: Float.self)
    }
  }

  private static func store(
    _ value: Int64, _ type: ElementType, _ memory: UnsafeMutableRawPointer, _ offset: Int
  ) {
    switch type.byteCount {
    case 1:
      memory.storeBytes(
        of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
    case 2:
      memory.storeBytes(
        of: UInt16(truncatingIfNeeded: value), toByteOffset: offset * 2, as: UInt16.self)
    case 4:
      memory.storeBytes(
        of: UInt32(truncatingIfNeeded: value), toByteOffset: offset * 4, as: UInt32.self)
    default: memory.storeBytes(of: value, toByteOffset: offset * 8, as: Int64.self)
    }
  }

  private static func real(_ type: ElementType, _ memory: UnsafeRawPointer, _ offset: Int) -> Double
  {
    switch type {
    case .bfloat16:
      return Double(
        BFloat16.value(of: memory.loadUnaligned(fromByteOffset: offset * 2, as: UInt16.self)))
    case .float16:
      return Double(memory.loadUnaligned(fromByteOffset: offset * 2, as: Float16.self))
    case .float64: return memory.loadUnaligned(fromByteOffset: offset * 8, as: Double.self)
    default: return Double(memory.loadUnaligned(fromByteOffset: offset * 4, as: Float.self))
    }
  }

  private static func integer(_ type: ElementType, _ memory: UnsafeRawPointer, _ offset: Int)
    -> Int64
  {
    switch type {
    case .bool: return memory.loadUnaligned(fromByteOffset: offset, as: UInt8.self) == 0 ? 0 : 1
    case .int8: return Int64(memory.loadUnaligned(fromByteOffset: offset, as: Int8.self))
    case .uint8: return Int64(memory.loadUnaligned(fromByteOffset: offset, as: UInt8.self))
    case .int16: return Int64(memory.loadUnaligned(fromByteOffset: offset * 2, as: Int16.self))
    case .uint16: return Int64(memory.loadUnaligned(fromByteOffset: offset * 2, as: UInt16.self))
    case .int32: return Int64(memory.loadUnaligned(fromByteOffset: offset * 4, as: Int32.self))
    case .uint32: return Int64(memory.loadUnaligned(fromByteOffset: offset * 4, as: UInt32.self))
    default: return memory.loadUnaligned(fromByteOffset: offset * 8, as: Int64.self)
    }
  }
}

/// The 16-bit format bfloat16, with the exponent range of `Float` and a precision of 8 bits.
public enum BFloat16 {
  /// Returns the bits of the nearest bfloat16, ties to even; NaN stays NaN.
  public static func bits(of value: Float) -> UInt16 {
    let bits: UInt32 = value.bitPattern
    if value.isNaN { return UInt16(truncatingIfNeeded: bits >> 16) | 0x40 }
    let rounding: UInt32 = 0x7FFF + ((bits >> 16) & 1)
    return UInt16(truncatingIfNeeded: (bits &+ rounding) >> 16)
  }

  /// Returns the bits of the bfloat16 that is nearest to `value`, ties to even. Conversion to `Float` and then to
  /// bfloat16 would round twice, which could give another bfloat16.
  public static func bits(of value: Double) -> UInt16 {
    let nearest = Float(value)
    guard nearest.isFinite, Double(nearest) != value else { return bits(of: nearest) }
    // `nearest` is not exact here. The next lines round `value` towards zero to a float and set the float's last bit.
    // Every midpoint between two neighbouring bfloat16 numbers then has the float and `value` on the same side, so both
    // round to the same bfloat16.
    let truncated =
      Double(nearest).magnitude > value.magnitude ? nearest.bitPattern - 1 : nearest.bitPattern
    return bits(of: Float(bitPattern: truncated | 1))
  }

  /// Returns the value of a bfloat16's bits.
  public static func value(of bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }

  /// Returns the nearest bfloat16, ties to even.
  public static func nearest(to value: Double) -> Float { self.value(of: bits(of: value)) }
}
