/// Decodes plain numbers of one type, which may be smaller than a byte, from bytes.
struct PackedIntegers {
  private let element: ElementType
  private let order: StoredValues.BitOrder

  init(_ element: ElementType, _ order: StoredValues.BitOrder) {
    self.element = element
    self.order = order
  }

  /// Decodes the numbers. Throws if the number of bytes is wrong.
  func decode(_ bytes: any ByteSource, into values: UnsafeMutableBufferPointer<Float>) throws {
    let needed: Int = element.byteCount(of: values.count)
    guard bytes.byteCount == needed else {
      throw StoredValues.bad(
        "\(bytes.byteCount) bytes are stored, expected \(needed) for \(values.count) values of \(element)."
      )
    }
    // Safe: the bytes hold as many numbers as `values` has elements.
    bytes.withBytes { element.isPacked ? unpack($0, values) : convert($0, values) }
  }

  private func convert(
    _ source: UnsafeRawBufferPointer, _ values: UnsafeMutableBufferPointer<Float>
  ) {
    // Safe: the bytes hold as many numbers as `values` has elements. With plain pointers the compiler vectorises the
    // loops.
    guard let from = source.baseAddress, let to = values.baseAddress else { return }
    func each<Stored>(_ type: Stored.Type, _ value: (Stored) -> Float) {
      for index in 0..<values.count {
        to[index] = value(
          from.loadUnaligned(fromByteOffset: index &* MemoryLayout<Stored>.size, as: type))
      }
    }
    switch element {
    case .float32: each(UInt32.self) { Float(bitPattern: UInt32(littleEndian: $0)) }
    case .float16: each(UInt16.self) { Float(half: UInt16(littleEndian: $0)) }
    case .bfloat16: each(UInt16.self) { BFloat16.value(of: UInt16(littleEndian: $0)) }
    case .float64: each(UInt64.self) { Float(Double(bitPattern: UInt64(littleEndian: $0))) }
    case .int8: each(Int8.self) { Float($0) }
    case .uint8: each(UInt8.self) { Float($0) }
    case .bool: each(UInt8.self) { $0 == 0 ? 0 : 1 }
    case .int16: each(Int16.self) { Float(Int16(littleEndian: $0)) }
    case .uint16: each(UInt16.self) { Float(UInt16(littleEndian: $0)) }
    case .int32: each(Int32.self) { Float(Int32(littleEndian: $0)) }
    case .uint32: each(UInt32.self) { Float(UInt32(littleEndian: $0)) }
    case .uint64: each(UInt64.self) { Float(UInt64(littleEndian: $0)) }
    default: each(Int64.self) { Float(Int64(littleEndian: $0)) }
    }
  }

  private func unpack(
    _ source: UnsafeRawBufferPointer, _ values: UnsafeMutableBufferPointer<Float>
  ) {
    let bits: Int = element.bitCount
    let isSigned: Bool = element == .int4
    if bits == 4, order == .lowestFirst, let from = source.baseAddress, let to = values.baseAddress
    {
      // Safe: the bytes hold as many numbers as `values` has elements.
      let bias: Int32 = isSigned ? 8 : 0
      for index in 0..<values.count {
        let byte = Int32(from.load(fromByteOffset: index >> 1, as: UInt8.self))
        to[index] = Float((((byte >> Int32((index & 1) << 2)) & 15) ^ bias) &- bias)
      }
      return
    }
    for index in values.indices {
      let integer: Int = integer(source, at: index * bits, bits)
      values[index] = Float(isSigned && integer > 7 ? integer - 16 : integer)
    }
  }

  /// Returns the integer of `bits` bits that starts at the given bit. An integer of 3 or 6 bits may span two bytes.
  private func integer(_ source: UnsafeRawBufferPointer, at bit: Int, _ bits: Int) -> Int {
    let first: Int = bit / 8
    let next: Int = first + 1 < source.count ? Int(source[first + 1]) : 0
    let raw: Int
    switch order {
    case .highestFirst: raw = ((Int(source[first]) << 8) | next) >> (16 - bits - bit % 8)
    case .lowestFirst: raw = (Int(source[first]) | (next << 8)) >> (bit % 8)
    }
    return raw & ((1 << bits) - 1)
  }
}
