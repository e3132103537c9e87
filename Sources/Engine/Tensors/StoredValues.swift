/// Bytes that somebody keeps for us: a part of a mapped file, an array.
public protocol ByteSource: Sendable {
  /// How many bytes there are.
  var byteCount: Int { get }
  /// Calls the closure with the bytes, which are valid during the call.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension [UInt8]: ByteSource {
  public var byteCount: Int { count }

  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeBytes(body)
  }
}

/// The values of a constant as a file keeps them: plain numbers, or codes of few bits that are scaled or
/// looked up. They stay as they are until somebody decodes them.
///
/// **Source:** `WeightParams` in NeuralNetwork.proto; the `constexpr_…` operations of ML Programs.
public struct StoredValues: Sendable {
  /// In which order codes of less than a byte fill a byte.
  public enum BitOrder: Sendable, Hashable {
    /// The first code takes the highest bits: NeuralNetwork.
    case highestFirst
    /// The first code takes the lowest bits: ML Programs.
    case lowestFirst
  }

  /// What a code stands for.
  public enum Meaning: Sendable {
    /// Itself.
    case plain
    /// `table[code]`.
    case palette(table: [Float])
    /// `code · scale + offset`. The extents of `blocks` divide those of the constant: each scale holds for a
    /// block; `[1]` is one scale for all, `[C, 1, 1, 1]` one per output channel.
    case affine(blocks: Shape, scale: [Float], offset: [Float])
    /// Itself where the mask's bit is set, one after the other; 0 elsewhere.
    case sparse(mask: any ByteSource)
  }

  /// The type of the codes, or of plain numbers.
  public let element: ElementType
  /// The order of codes of less than a byte, and of the bits of a mask.
  public let order: BitOrder
  /// What a code stands for.
  public let meaning: Meaning
  private let bytes: any ByteSource

  /// Values in bytes, little-endian.
  public init(
    _ bytes: any ByteSource, of element: ElementType, _ meaning: Meaning = .plain,
    order: BitOrder = .lowestFirst
  ) {
    self.bytes = bytes
    self.element = element
    self.meaning = meaning
    self.order = order
  }

  /// The size of what is kept, in bytes.
  public var byteCount: Int {
    if case .sparse(let mask) = meaning { return bytes.byteCount + mask.byteCount }
    return bytes.byteCount
  }

  /// Writes the values of a constant of this shape, row-major, as many as the shape has.
  ///
  /// - Throws: `invalidModel` when the bytes, the table or the scales are not as many as the shape needs.
  public func decode(_ shape: Shape, into values: UnsafeMutableBufferPointer<Float>) throws {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    switch meaning {
    case .plain:
      try requireBytes(for: shape.count)
      bytes.withBytes { codes($0, count: shape.count, into: values) }
    case .palette(let table):
      try requireBytes(for: shape.count)
      guard element.isPacked || element == .uint8, table.count >= 1 << element.bitCount else {
        throw StoredValues.bad(
          "a table of \(table.count) values is looked up by \(element), expected \(1 << min(element.bitCount, 8)) values."
        )
      }
      bytes.withBytes { codes($0, count: shape.count, into: values) }
      for index in values.indices { values[index] = table[Int(values[index])] }
    case .affine(let blocks, let scale, let offset):
      try requireBytes(for: shape.count)
      bytes.withBytes { codes($0, count: shape.count, into: values) }
      try apply(blocks, scale, offset, shape, values)
    case .sparse(let mask):
      try spread(mask, shape, values)
    }
  }

  /// Whether the values are plain numbers.
  package var isPlain: Bool {
    if case .plain = meaning { return true }
    return false
  }

  /// The values of a constant of this shape as whole numbers, exact over the range of `Int64`; nil where they
  /// are not kept as plain whole numbers.
  ///
  /// - Throws: `invalidModel` when there are not as many bytes as the shape needs.
  package func wholes(_ shape: Shape) throws -> [Int64]? {
    guard isPlain, element.isInteger else { return nil }
    let count: Int = shape.count
    try requireBytes(for: count)
    return bytes.withBytes { source in
      if element.isPacked {
        return (0..<count).map { Int64(code(source, at: $0 * element.bitCount, element.bitCount)) }
      }
      func each<Stored: FixedWidthInteger>(_ type: Stored.Type) -> [Int64] {
        (0..<count).map { index in
          // Safe: the bytes hold as many.
          Int64(
            truncatingIfNeeded: Stored(
              littleEndian: source.loadUnaligned(
                fromByteOffset: index * MemoryLayout<Stored>.size, as: type)))
        }
      }
      switch element {
      case .bool: return each(UInt8.self).map { $0 == 0 ? 0 : 1 }
      case .int8: return each(Int8.self)
      case .uint8: return each(UInt8.self)
      case .int16: return each(Int16.self)
      case .uint16: return each(UInt16.self)
      case .int32: return each(Int32.self)
      case .uint32: return each(UInt32.self)
      default: return each(Int64.self)
      }
    }
  }

  private func requireBytes(for count: Int) throws {
    let needed: Int = element.byteCount(of: count)
    guard bytes.byteCount == needed else {
      throw StoredValues.bad(
        "\(bytes.byteCount) bytes are stored, expected \(needed) for \(count) values of \(element)."
      )
    }
  }

  private static func bad(_ sentence: String) -> EngineError {
    EngineError(.invalidModel, sentence + " The file may be truncated.")
  }

  /// The codes as numbers. Safe: the caller has checked that the bytes hold as many.
  private func codes(
    _ source: UnsafeRawBufferPointer, count: Int, into values: UnsafeMutableBufferPointer<Float>
  ) {
    if element.isPacked {
      let bits: Int = element.bitCount
      for index in 0..<count {
        values[index] = Float(code(source, at: index * bits, bits))
      }
      return
    }
    func each<Stored>(_ type: Stored.Type, _ value: (Stored) -> Float) {
      for index in 0..<count {
        values[index] = value(
          source.loadUnaligned(fromByteOffset: index * MemoryLayout<Stored>.size, as: type))
      }
    }
    switch element {
    case .float32: each(UInt32.self) { Float(bitPattern: UInt32(littleEndian: $0)) }
    case .float16: each(UInt16.self) { Float(Float16(bitPattern: UInt16(littleEndian: $0))) }
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

  /// The code that starts at a bit. A code of 3 or 6 bits may lie in two bytes.
  private func code(_ source: UnsafeRawBufferPointer, at bit: Int, _ bits: Int) -> Int {
    let first: Int = bit / 8
    let next: Int = first + 1 < source.count ? Int(source[first + 1]) : 0
    let raw: Int
    switch order {
    case .highestFirst: raw = ((Int(source[first]) << 8) | next) >> (16 - bits - bit % 8)
    case .lowestFirst: raw = (Int(source[first]) | (next << 8)) >> (bit % 8)
    }
    let code: Int = raw & ((1 << bits) - 1)
    return element == .int4 && code > 7 ? code - 16 : code
  }

  private func apply(
    _ blocks: Shape, _ scale: [Float], _ offset: [Float], _ shape: Shape,
    _ values: UnsafeMutableBufferPointer<Float>
  ) throws {
    let counts = blocks.padded(toRank: shape.rank)
    let fits: Bool =
      counts.rank == shape.rank
      && zip(counts.dimensions, shape.dimensions).allSatisfy { $0 > 0 && $1 % $0 == 0 }
    guard fits, scale.count == 1 || scale.count == counts.count,
      offset.count == 1 || offset.count == counts.count
    else {
      throw StoredValues.bad(
        "\(scale.count) scales and \(offset.count) offsets in blocks of \(blocks) do not divide \(shape)."
      )
    }
    // Along the last axis all elements of one block are neighbours.
    let run: Int = shape.rank == 0 ? 1 : max(1, shape[-1] / counts[-1])
    let strides: [Int] = counts.strides
    let extents: [Int] = zip(shape.dimensions, counts.dimensions).map { max(1, $0 / $1) }
    let places: [Int] = shape.strides
    for start in stride(from: 0, to: values.count, by: run) {
      var block = 0
      for axis in 0..<shape.rank {
        let index: Int = start / places[axis] % max(1, shape[axis])
        block += index / extents[axis] * strides[axis]
      }
      let factor: Float = scale[scale.count == 1 ? 0 : block]
      let shift: Float = offset[offset.count == 1 ? 0 : block]
      for index in start..<start + run { values[index] = values[index] * factor + shift }
    }
  }

  private func spread(
    _ mask: any ByteSource, _ shape: Shape, _ values: UnsafeMutableBufferPointer<Float>
  ) throws {
    guard mask.byteCount == ElementType.uint1.byteCount(of: shape.count) else {
      throw StoredValues.bad(
        "a mask of \(mask.byteCount) bytes is stored, expected a bit for each of \(shape.count) values."
      )
    }
    let isSet: [Bool] = mask.withBytes { bits in
      (0..<shape.count).map { index in
        let place: Int = order == .lowestFirst ? index % 8 : 7 - index % 8
        return bits[index / 8] >> UInt8(place) & 1 == 1
      }
    }
    let count: Int = isSet.reduce(0) { $0 + ($1 ? 1 : 0) }
    try requireBytes(for: count)
    let kept = [Float](unsafeUninitializedCapacity: count) { target, initialized in
      bytes.withBytes {
        codes($0, count: count, into: UnsafeMutableBufferPointer(rebasing: target[..<count]))
      }
      initialized = count
    }
    var next = 0
    for (index, isKept) in isSet.enumerated() {
      values[index] = isKept ? kept[next] : 0
      next += isKept ? 1 : 0
    }
  }
}
