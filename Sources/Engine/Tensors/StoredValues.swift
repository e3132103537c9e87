/// Bytes that somebody keeps for us: a part of a mapped file, an array.
public protocol ByteSource: Sendable {
  /// How many bytes there are.
  var byteCount: Int { get }
  /// Calls the closure with the bytes, which are valid during the call.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
  /// Tells the system that the bytes are not needed for a while: memory pages that hold a part of a file and nothing
  /// else are read again when somebody touches them. Does nothing where the bytes are in no file.
  func giveBackPages()
}

extension ByteSource {
  public func giveBackPages() {}
}

extension [UInt8]: ByteSource {
  public var byteCount: Int { count }

  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeBytes(body)
  }
}

/// The values of a constant as a file keeps them: plain numbers, or other constants from which they follow:
/// codes that are looked up or scaled, values that stand among zeros. All stay as they are until somebody
/// decodes them, and may be made of each other in any depth.
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

  /// From what the values follow.
  package enum Meaning: Sendable {
    case plain(any ByteSource, ElementType, BitOrder)
    case palette(codes: Constant, table: Constant, vectorAxis: Int)
    case affine(codes: Constant, ScaledCodes)
    case spread(Constant, mask: Constant)
    case picked(Constant, mask: Constant)
    case repeated(Constant, times: Int, axis: Int)
  }

  /// How codes are scaled.
  package struct ScaledCodes: Sendable {
    /// A factor for each block.
    package let scale: Constant
    /// What is subtracted before scaling; nil is 0.
    package let zero: Constant?
    /// The types to which the difference and the product are rounded.
    package let difference: ElementType, product: ElementType
  }

  package let meaning: Meaning

  package init(_ meaning: Meaning) { self.meaning = meaning }

  /// Plain numbers in bytes, little-endian; those of less than a byte side by side.
  public init(_ bytes: any ByteSource, of element: ElementType, order: BitOrder = .lowestFirst) {
    meaning = .plain(bytes, element, order)
  }

  /// The size of what is kept, in bytes.
  public var byteCount: Int {
    func size(_ constants: Constant?...) -> Int {
      constants.reduce(0) { $0 + ($1.map { $0.stored?.byteCount ?? $0.count * 4 } ?? 0) }
    }
    switch meaning {
    case .plain(let bytes, _, _): return bytes.byteCount
    case .palette(let codes, let table, _): return size(codes, table)
    case .affine(let codes, let scaled): return size(codes, scaled.scale, scaled.zero)
    case .spread(let values, let mask), .picked(let values, let mask): return size(values, mask)
    case .repeated(let values, _, _): return size(values)
    }
  }

  /// See ``ByteSource/giveBackPages()``; of the codes, tables and masks, too.
  package func giveBackPages() {
    switch meaning {
    case .plain(let bytes, _, _): bytes.giveBackPages()
    case .palette(let first, let second, _), .spread(let first, let second),
      .picked(let first, let second):
      first.giveBackPages()
      second.giveBackPages()
    case .affine(let codes, let scaled):
      codes.giveBackPages()
      scaled.scale.giveBackPages()
      scaled.zero?.giveBackPages()
    case .repeated(let values, _, _): values.giveBackPages()
    }
  }

  /// The same bytes as numbers of another type; nil for what are no plain bytes.
  public func reinterpreted(as element: ElementType) -> StoredValues? {
    guard case .plain(let bytes, _, let order) = meaning else { return nil }
    return StoredValues(bytes, of: element, order: order)
  }

  /// Calls the closure with the bytes of plain numbers; nil for others.
  public func withPlainBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result?
  {
    guard case .plain(let bytes, _, _) = meaning else { return nil }
    return try bytes.withBytes(body)
  }

  /// Writes the values of a constant of this shape, row-major, as many as the shape has.
  ///
  /// - Throws: `invalidModel` when the bytes, the table or the mask's bits are not as many as the shape needs.
  public func decode(_ shape: Shape, into values: UnsafeMutableBufferPointer<Float>) throws {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    guard let target = values.baseAddress, !values.isEmpty else { return }
    switch meaning {
    case .plain(let bytes, let element, let order):
      try PackedCodes(element, order).decode(bytes, into: values)
    case .palette(let codes, let table, let axis):
      try lookUp(codes, in: table, along: axis, shape, values)
    case .affine(let codes, let scaled):
      try codes.write(to: target)
      try scaled.apply(shape, values)
    case .spread(let kept, let mask):
      try mask.write(to: target)
      try spread(kept, values)
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

  /// The type of plain numbers; nil for values that follow from codes.
  public var storedElement: ElementType? {
    if case .plain(_, let element, _) = meaning { return element }
    return nil
  }

  /// Whether the values are plain numbers.
  package var isPlain: Bool {
    if case .plain = meaning { return true }
    return false
  }

  /// Whether the values are plain ones of `uint64`.
  package var isUnsigned64: Bool {
    if case .plain(_, .uint64, _) = meaning { return true }
    return false
  }

  /// The values of a constant of this shape as whole numbers, exact over the range of `Int64`; nil where they
  /// are not kept as plain whole numbers of a byte or more.
  ///
  /// - Throws: `invalidModel` when there are not as many bytes as the shape needs.
  package func wholes(_ shape: Shape) throws -> [Int64]? {
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

  package static func bad(_ sentence: String) -> EngineError {
    EngineError(.invalidModel, sentence + " The file may be damaged.")
  }
}
