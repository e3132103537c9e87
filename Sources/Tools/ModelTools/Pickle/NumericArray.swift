import ModelFormat

/// An array of numbers from a file of NumPy or PyTorch: a type, a shape, and bytes that stay in the mapped file.
public struct NumericArray: Sendable, Equatable {
  /// The element types in which weights are stored. Raw values are NumPy's names of the types. All are little-endian.
  public enum ElementType: String, Sendable {
    case float16 = "f2"
    case float32 = "f4"
    case float64 = "f8"
    case int32 = "i4"
    case int64 = "i8"
    case uint8 = "u1"

    /// The size of one number in bytes.
    public var byteCount: Int {
      switch self {
      case .uint8: return 1
      case .float16: return 2
      case .float32, .int32: return 4
      case .float64, .int64: return 8
      }
    }
  }

  /// The element type in the file.
  public let elementType: ElementType
  /// The extents. The extent of the outermost axis is first.
  public let shape: [Int]
  /// Whether the elements are in column-major order (Fortran), not in row-major order.
  public let isColumnMajor: Bool
  /// The bytes of the elements.
  public let bytes: ByteValues

  /// Creates an array over bytes. Nil if the number of bytes is not the one that the shape needs.
  public init?(
    _ elementType: ElementType, shape: [Int], isColumnMajor: Bool = false, bytes: ByteValues
  ) {
    var needed: Int = elementType.byteCount
    for extent in shape {
      guard extent >= 0 else { return nil }
      let (product, overflows) = needed.multipliedReportingOverflow(by: extent)
      guard !overflows else { return nil }
      needed = product
    }
    guard needed == bytes.count else { return nil }
    self.elementType = elementType
    self.shape = shape
    self.isColumnMajor = isColumnMajor
    self.bytes = bytes
  }

  /// How many numbers there are.
  public var count: Int { bytes.count / elementType.byteCount }

  /// Converts the numbers to float32 in row-major order, with axes in the given order. For example, `[3, 2, 0, 1]`
  /// converts height × width × in × out to out × in × height × width.
  public func floats(axes order: [Int]? = nil) -> [Float] {
    let order: [Int] = order ?? Array(shape.indices)
    precondition(order.sorted() == Array(shape.indices), "the axes are a permutation")
    var strides = [Int](repeating: 1, count: shape.count)
    var step: Int = 1
    for axis in isColumnMajor ? Array(shape.indices) : shape.indices.reversed() {
      strides[axis] = step
      step *= shape[axis]
    }
    let extents: [Int] = order.map { shape[$0] }
    let steps: [Int] = order.map { strides[$0] }
    let total: Int = count
    return [Float](unsafeUninitializedCapacity: total) { target, initialized in
      bytes.withUnsafeBytes { source in
        var position = [Int](repeating: 0, count: extents.count)
        var offset: Int = 0
        for index in 0..<total {
          target[index] = number(source, offset)
          var axis: Int = extents.count - 1
          while axis >= 0 {
            position[axis] += 1
            offset += steps[axis]
            if position[axis] < extents[axis] { break }
            offset -= position[axis] * steps[axis]
            position[axis] = 0
            axis -= 1
          }
        }
      }
      initialized = total
    }
  }

  /// Reads the number at an index, which must be within the array.
  @inline(__always)
  private func number(_ source: UnsafeRawBufferPointer, _ index: Int) -> Float {
    switch elementType {
    case .float32: return source.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
    case .float64: return Float(source.loadUnaligned(fromByteOffset: index * 8, as: Double.self))
    case .float16: return Float(source.loadUnaligned(fromByteOffset: index * 2, as: Float16.self))
    case .int32: return Float(source.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
    case .int64: return Float(source.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
    case .uint8: return Float(source[index])
    }
  }
}
