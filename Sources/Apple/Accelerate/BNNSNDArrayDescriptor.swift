/// The type of the elements of an array that BNNS's functions take.
public enum BNNSDataType: UInt32, Sendable {
  case float16
  case float
  case int32
}

/// A type of numbers that BNNS's functions take.
public protocol BNNSScalar {
  static var bnnsDataType: BNNSDataType { get }
}

extension Float: BNNSScalar {
  public static var bnnsDataType: BNNSDataType { .float }
}

#if arch(arm64) || os(Linux)
  extension Float16: BNNSScalar {
    public static var bnnsDataType: BNNSDataType { .float16 }
  }
#endif

extension Int32: BNNSScalar {
  public static var bnnsDataType: BNNSDataType { .int32 }
}

/// The namespace of BNNS's functions: activations, reductions and the greatest elements of vectors.
public enum BNNS {
  /// The shape of an array.
  public enum Shape: Sendable {
    /// A vector with the distance of its elements. The functions throw for strides other than 1.
    case vector(Int, stride: Int = 1)

    var lengths: (count: Int, stride: Int) {
      switch self {
      case .vector(let count, let stride): (count, stride)
      }
    }
  }

  /// Why a function cannot be computed.
  public enum Error: Swift.Error, CustomStringConvertible {
    case layerApplyFail(String)

    public var description: String {
      switch self {
      case .layerApplyFail(let sentence): sentence
      }
    }
  }
}

/// A vector in memory that BNNS's functions read and write.
public struct BNNSNDArrayDescriptor {
  /// The first element.
  public var data: UnsafeMutableRawPointer?
  /// The type of the elements.
  public var data_type: BNNSDataType
  /// The number of elements.
  let count: Int
  let stride: Int

  /// Describes a vector in the caller's memory. The caller keeps the memory. Returns nil if the memory is too small.
  public init?<Scalar: BNNSScalar>(
    data: UnsafeMutableRawBufferPointer, scalarType: Scalar.Type, shape: BNNS.Shape
  ) {
    let (count, stride) = shape.lengths
    guard count >= 0, stride > 0,
      data.count / MemoryLayout<Scalar>.stride / stride
        >= (count == 0 ? 0 : count - (stride > 1 ? 1 : 0))
    else { return nil }
    self.init(data.baseAddress, Scalar.bnnsDataType, count, stride)
  }

  private init(
    _ data: UnsafeMutableRawPointer?, _ type: BNNSDataType, _ count: Int, _ stride: Int
  ) {
    (self.data, data_type) = (data, type)
    (self.count, self.stride) = (count, stride)
  }

  /// Allocates a vector. The caller frees it with `deallocate()`.
  public static func allocateUninitialized<Scalar: BNNSScalar>(
    scalarType: Scalar.Type, shape: BNNS.Shape
  ) -> BNNSNDArrayDescriptor {
    let (count, stride) = shape.lengths
    // Safe: the memory belongs to the caller.
    let data = UnsafeMutablePointer<Scalar>.allocate(capacity: max(count * stride, 1))
    return BNNSNDArrayDescriptor(
      UnsafeMutableRawPointer(data), Scalar.bnnsDataType, count, stride)
  }

  /// Frees a vector that `allocateUninitialized` allocated.
  public func deallocate() { data?.deallocate() }

  /// Returns the elements, or nil if they have another type.
  public func makeArray<Scalar: BNNSScalar>(of type: Scalar.Type) -> [Scalar]? {
    guard let data, Scalar.bnnsDataType == data_type else { return nil }
    let elements = data.assumingMemoryBound(to: Scalar.self)
    return (0..<count).map { elements[$0 * stride] }
  }

  /// The elements as numbers in single precision.
  func floats() throws -> [Float] {
    guard stride == 1, let data else {
      throw BNNS.Error.layerApplyFail(
        "A vector of BNNS has stride \(stride), expected 1 and memory: copy its elements first.")
    }
    switch data_type {
    case .float:
      return Array(
        UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: count))
    case .float16:
      let elements = data.assumingMemoryBound(to: Float16.self)
      return (0..<count).map { Float(elements[$0]) }
    case .int32:
      let elements = data.assumingMemoryBound(to: Int32.self)
      return (0..<count).map { Float(elements[$0]) }
    }
  }

  /// Writes numbers, rounded to the type of the elements.
  func store(_ numbers: [Float]) throws {
    guard numbers.count == count, stride == 1, let data else {
      throw BNNS.Error.layerApplyFail(
        "The output of a function of BNNS has \(count) elements of stride \(stride), expected "
          + "\(numbers.count) of stride 1.")
    }
    switch data_type {
    case .float:
      let elements = data.assumingMemoryBound(to: Float.self)
      for index in numbers.indices { elements[index] = numbers[index] }
    case .float16:
      let elements = data.assumingMemoryBound(to: Float16.self)
      for index in numbers.indices { elements[index] = Float16(numbers[index]) }
    case .int32:
      let elements = data.assumingMemoryBound(to: Int32.self)
      let integers = vDSP.floatingPointToInteger(
        numbers, integerType: Int32.self, rounding: .towardZero)
      for index in integers.indices { elements[index] = integers[index] }
    }
  }
}
