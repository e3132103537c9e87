/// A source of bytes: a part of a mapped file, or an array.
public protocol ByteSource: Sendable {
  /// The number of bytes.
  var byteCount: Int { get }
  /// Calls the closure with the bytes, which are valid during the call.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
  /// Tells the system that nothing reads the bytes for a while. If the bytes are part of a mapped file, the system
  /// frees their memory pages and reads the pages again on the next access. Otherwise does nothing.
  func releasePages()
}

extension ByteSource {
  public func releasePages() {}
}

extension [UInt8]: ByteSource {
  public var byteCount: Int { count }

  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeBytes(body)
  }
}

/// The values of a constant as a file stores them: plain numbers, or other constants from which the values are computed
/// (lookup tables, quantised values, sparse values). The values stay in this form until they are decoded. The other
/// constants may themselves hold stored values, to any depth.
///
/// **Source:** `WeightParams` in NeuralNetwork.proto; the `constexpr_…` operations of ML Programs.
public struct StoredValues: Sendable {
  /// The order in which elements smaller than a byte fill a byte.
  public enum BitOrder: Sendable, Hashable {
    /// The first element takes the highest bits, as in NeuralNetwork models.
    case highestFirst
    /// The first element takes the lowest bits, as in ML Programs.
    case lowestFirst
  }

  /// How the values are stored.
  package enum Meaning: Sendable {
    case plain(any ByteSource, ElementType, BitOrder)
    case palette(indices: Constant, table: Constant, vectorAxis: Int)
    case affine(values: Constant, ScaledIntegers)
    case spread(Constant, mask: Constant)
    case picked(Constant, mask: Constant)
    case repeated(Constant, times: Int, axis: Int)
  }

  /// The parameters of quantised values.
  package struct ScaledIntegers: Sendable {
    /// The scale of each block.
    package let scale: Constant
    /// The zero point of each block, subtracted before scaling; nil means 0.
    package let zero: Constant?
    /// The types to which the differences `value − zero` and their products with the scale are rounded.
    package let difference: ElementType, product: ElementType
  }

  package let meaning: Meaning

  package init(_ meaning: Meaning) { self.meaning = meaning }

  /// Creates plain numbers from little-endian bytes. Elements smaller than a byte are packed in the given bit order.
  public init(_ bytes: any ByteSource, of element: ElementType, order: BitOrder = .lowestFirst) {
    meaning = .plain(bytes, element, order)
  }

  /// The size of the stored form, in bytes.
  public var byteCount: Int {
    func size(_ constants: Constant?...) -> Int {
      constants.reduce(0) { $0 + ($1.map { $0.stored?.byteCount ?? $0.count * 4 } ?? 0) }
    }
    switch meaning {
    case .plain(let bytes, _, _): return bytes.byteCount
    case .palette(let indices, let table, _): return size(indices, table)
    case .affine(let values, let scaled): return size(values, scaled.scale, scaled.zero)
    case .spread(let values, let mask), .picked(let values, let mask): return size(values, mask)
    case .repeated(let values, _, _): return size(values)
    }
  }

  /// Calls ``ByteSource/releasePages()`` for all bytes, including those of indices, tables and masks.
  package func releasePages() {
    switch meaning {
    case .plain(let bytes, _, _): bytes.releasePages()
    case .palette(let first, let second, _), .spread(let first, let second),
      .picked(let first, let second):
      first.releasePages()
      second.releasePages()
    case .affine(let values, let scaled):
      values.releasePages()
      scaled.scale.releasePages()
      scaled.zero?.releasePages()
    case .repeated(let values, _, _): values.releasePages()
    }
  }

  /// Returns the same bytes as numbers of another type; nil if the values are not plain numbers.
  public func reinterpreted(as element: ElementType) -> StoredValues? {
    guard case .plain(let bytes, _, let order) = meaning else { return nil }
    return StoredValues(bytes, of: element, order: order)
  }

  /// Calls the closure with the bytes of plain numbers. Returns nil if the values are not plain numbers.
  public func withPlainBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result?
  {
    guard case .plain(let bytes, _, _) = meaning else { return nil }
    return try bytes.withBytes(body)
  }

  /// Returns the values at some indices. Nil if the values are not plain `float32` or `float16` numbers, or if there are fewer.
  package func plainFloats(at indices: [Int]) -> [Float]? {
    guard case .plain(let bytes, let element, _) = meaning else { return nil }
    return bytes.withBytes { bytes in
      func each<Bits: FixedWidthInteger>(_ float: (Bits) -> Float) -> [Float]? {
        let size: Int = MemoryLayout<Bits>.size
        guard indices.allSatisfy({ $0 >= 0 && $0 < bytes.count / size }) else { return nil }
        return indices.map {
          float(Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: Bits.self)))
        }
      }
      return switch element {
      case .float32: each { Float(bitPattern: $0) }
      case .float16: each { Float(half: $0) }
      default: nil
      }
    }
  }

  /// Writes the values of a constant of this shape in row-major order.
  ///
  /// - Throws: `invalidModel` if the number of bytes or of the mask's set bits does not match the shape, or if an index
  ///   has no table entry.
  public func decode(_ shape: Shape, into values: UnsafeMutableBufferPointer<Float>) throws {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    guard let target = values.baseAddress, !values.isEmpty else { return }
    switch meaning {
    case .plain(let bytes, let element, let order):
      try PackedIntegers(element, order).decode(bytes, into: values)
    case .palette(let indices, let table, let axis):
      try lookUp(indices, in: table, along: axis, shape, values)
    case .affine(let quantized, let scaled):
      try quantized.write(to: target)
      try scaled.apply(shape, values)
    case .spread(let stored, let mask):
      try mask.write(to: target)
      try spread(stored, values)
    case .picked(let dense, let mask):
      try pick(dense, mask, values)
    case .repeated(let source, let times, let axis):
      try source.floats().withUnsafeBufferPointer { source in
        let inner: Int = shape.dimensions[(axis + 1)...].product
        for index in values.indices {
          let row: Int = index / inner / times
          values[index] = source[row * inner + index % inner]
        }
      }
    }
  }

  /// The type of plain numbers; nil for other forms.
  public var storedElement: ElementType? {
    if case .plain(_, let element, _) = meaning { return element }
    return nil
  }

  /// Whether the values are plain numbers.
  package var isPlain: Bool {
    if case .plain = meaning { return true }
    return false
  }

  /// Whether the values are plain `uint64` numbers.
  package var isUnsigned64: Bool {
    if case .plain(_, .uint64, _) = meaning { return true }
    return false
  }

  /// Returns the values of a constant of this shape as exact integers in `Int64`. Nil if the values are not plain
  /// integers, or if an integer is smaller than a byte.
  ///
  /// - Throws: `invalidModel` if the number of bytes does not match the shape.
  package func integerValues(_ shape: Shape) throws -> [Int64]? {
    guard case .plain(let bytes, let element, _) = meaning, element.isInteger, !element.isPacked
    else { return nil }
    let (count, needed) = (shape.count, element.byteCount(of: shape.count))
    guard bytes.byteCount == needed else {
      throw StoredValues.bad(
        "\(bytes.byteCount) bytes are stored, expected \(needed) for \(count) values of \(element)."
      )
    }
    return bytes.withBytes { source in
      func each<Stored: FixedWidthInteger>(_ type: Stored.Type) -> [Int64] {
        (0..<count).map { index in
          // Safe: the bytes hold as many numbers as the loop reads.
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

  package static func bad(_ sentence: String) -> EngineError {
    EngineError(.invalidModel, sentence + " The file may be damaged.")
  }
}
