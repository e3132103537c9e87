/// Moves tensors between reference values and planned memory; for constants and tests, not for speed.
public enum TensorCodec {
  /// Writes a tensor into memory of the given form.
  public static func pack(
    _ tensor: ReferenceTensor, as form: TensorDescriptor, into memory: UnsafeMutableRawPointer
  ) {
    precondition(tensor.shape.count == form.shape.count, "\(tensor.shape) packed as \(form)")
    let strides: [Int] = form.strides
    form.shape.forEachIndex { index, position in
      var offset = 0
      for axis in index.indices { offset += index[axis] * strides[axis] }
      store(tensor.values[position], form.storage, memory, offset)
    }
  }

  /// Reads a tensor from memory of the given form.
  public static func unpack(_ memory: UnsafeRawPointer, as form: TensorDescriptor)
    -> ReferenceTensor
  {
    var result = ReferenceTensor(form.shape)
    let strides: [Int] = form.strides
    form.shape.forEachIndex { index, position in
      var offset = 0
      for axis in index.indices { offset += index[axis] * strides[axis] }
      result.values[position] = load(form.storage, memory, offset)
    }
    return result
  }

  // Safe: callers give memory of `form.byteCount` bytes and strides stay within the shape.
  private static func store(
    _ value: Double, _ type: ElementType, _ memory: UnsafeMutableRawPointer, _ offset: Int
  ) {
    switch type {
    case .float32: memory.storeBytes(of: Float(value), toByteOffset: offset * 4, as: Float.self)
    case .bfloat16:
      memory.storeBytes(
        of: BFloat16.bits(of: Float(value)), toByteOffset: offset * 2, as: UInt16.self)
    case .float16:
      memory.storeBytes(of: Float16(value), toByteOffset: offset * 2, as: Float16.self)
    case .float64: memory.storeBytes(of: value, toByteOffset: offset * 8, as: Double.self)
    case .int8: memory.storeBytes(of: Int8(value), toByteOffset: offset, as: Int8.self)
    case .int32: memory.storeBytes(of: Int32(value), toByteOffset: offset * 4, as: Int32.self)
    case .int64: memory.storeBytes(of: Int64(value), toByteOffset: offset * 8, as: Int64.self)
    case .bool: memory.storeBytes(of: value == 0 ? 0 : 1, toByteOffset: offset, as: UInt8.self)
    }
  }

  private static func load(_ type: ElementType, _ memory: UnsafeRawPointer, _ offset: Int) -> Double
  {
    switch type {
    case .float32: return Double(memory.loadUnaligned(fromByteOffset: offset * 4, as: Float.self))
    case .bfloat16:
      return Double(
        BFloat16.value(of: memory.loadUnaligned(fromByteOffset: offset * 2, as: UInt16.self)))
    case .float16:
      return Double(memory.loadUnaligned(fromByteOffset: offset * 2, as: Float16.self))
    case .float64: return memory.loadUnaligned(fromByteOffset: offset * 8, as: Double.self)
    case .int8: return Double(memory.loadUnaligned(fromByteOffset: offset, as: Int8.self))
    case .int32: return Double(memory.loadUnaligned(fromByteOffset: offset * 4, as: Int32.self))
    case .int64: return Double(memory.loadUnaligned(fromByteOffset: offset * 8, as: Int64.self))
    case .bool: return memory.loadUnaligned(fromByteOffset: offset, as: UInt8.self) == 0 ? 0 : 1
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

  /// The value of the bits.
  public static func value(of bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }
}
