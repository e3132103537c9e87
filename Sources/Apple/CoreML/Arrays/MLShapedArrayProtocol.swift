import Foundation

/// The interface that shaped arrays and their slices share.
///
/// As a collection, an array has the slices along its first axis as elements. Arrays have value semantics: copies share
/// memory until a caller changes one of the copies.
public protocol MLShapedArrayProtocol<Scalar>: ExpressibleByArrayLiteral, MutableCollection,
  RandomAccessCollection, Hashable, Sendable, CustomStringConvertible
where Index == Int, Element == MLShapedArraySlice<Scalar>, SubSequence == Slice<Self> {
  /// The type of the array's elements.
  associatedtype Scalar: MLShapedArrayScalar

  /// The memory and layout. An implementation detail.
  var _storage: _ShapedStorage<Scalar> { get set }

  /// Makes an array with the given memory and layout. An implementation detail.
  init(_storage: _ShapedStorage<Scalar>)
}

extension MLShapedArrayProtocol {
  /// The length of each axis.
  public var shape: [Int] { _storage.layout.shape }

  /// The distance in elements between neighbours along each axis.
  public var strides: [Int] { _storage.layout.strides }

  /// The number of elements in the array.
  public var scalarCount: Int { _storage.layout.count }

  /// Whether the array has no axes and holds one number.
  public var isScalar: Bool { shape.isEmpty }

  /// The number in an array without axes; nil for all other arrays.
  public var scalar: Scalar? {
    get { isScalar ? _storage.pointer[0] : nil }
    set {
      guard let newValue, isScalar else {
        preconditionFailure("Only an array without axes has a scalar, which cannot be nil.")
      }
      _storage.makeUnique()
      _storage.pointer[0] = newValue
    }
  }

  /// All elements in row-major order.
  public var scalars: [Scalar] {
    get {
      let storage: _ShapedStorage<Scalar> = _storage
      if storage.layout.isContiguous {
        return Array(UnsafeBufferPointer(start: storage.pointer, count: storage.layout.count))
      }
      var result: [Scalar] = []
      result.reserveCapacity(storage.layout.count)
      storage.layout.forEachOffset { result.append(storage.pointer[$0]) }
      return result
    }
    set { fill(with: newValue) }
  }

  /// The element at the given indices, one per axis.
  public subscript<C: Collection>(scalarAt indices: C) -> Scalar where C.Element == Int {
    get { scalarStorage(at: indices).pointer[0] }
    set {
      _storage.makeUnique()
      scalarStorage(at: indices).pointer[0] = newValue
    }
  }

  /// The element at the given indices, one per axis.
  public subscript(scalarAt indices: Int...) -> Scalar {
    get { self[scalarAt: indices] }
    set { self[scalarAt: indices] = newValue }
  }

  private func scalarStorage<C: Collection>(at indices: C) -> _ShapedStorage<Scalar>
  where C.Element == Int {
    precondition(
      indices.count == shape.count,
      "\(indices.count) indices were used to find a number in an array with \(shape.count) axes.")
    return _storage.slice(at: indices)
  }

  /// Sets every element to one value.
  public mutating func fill(with value: Scalar) {
    _storage.makeUnique()
    let pointer: UnsafeMutablePointer<Scalar> = _storage.pointer
    _storage.layout.forEachOffset { pointer[$0] = value }
  }

  /// Sets the elements, in row-major order, to the elements of a collection. The collection must have `scalarCount`
  /// elements.
  public mutating func fill<C: Collection>(with collection: C) where C.Element == Scalar {
    precondition(
      collection.count == scalarCount,
      "\(collection.count) numbers cannot fill a shaped array of \(scalarCount).")
    _storage.makeUnique()
    let pointer: UnsafeMutablePointer<Scalar> = _storage.pointer
    var iterator = collection.makeIterator()
    _storage.layout.forEachOffset { offset in
      if let value = iterator.next() { pointer[offset] = value }
    }
  }

  /// Calls `body` with the memory of the array, the shape, and the strides in elements.
  public func withUnsafeShapedBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Scalar>, [Int], [Int]) throws -> R
  ) rethrows -> R {
    try withExtendedLifetime(_storage.memory) {
      try body(_storage.buffer, _storage.layout.shape, _storage.layout.strides)
    }
  }

  /// Calls `body` with the shape, the strides in elements, and the memory of the array, which `body` may change.
  public mutating func withUnsafeMutableShapedBufferPointer<R>(
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, [Int], [Int]) throws -> R
  ) rethrows -> R {
    _storage.makeUnique()
    var buffer = UnsafeMutableBufferPointer(start: _storage.pointer, count: _storage.layout.span)
    return try body(&buffer, _storage.layout.shape, _storage.layout.strides)
  }

  /// Stores the elements in the given layout. Then calls `body` as ``withUnsafeMutableShapedBufferPointer(_:)`` does.
  public mutating func withUnsafeMutableShapedBufferPointer<R>(
    using bufferLayout: MLShapedArrayBufferLayout,
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, [Int], [Int]) throws -> R
  ) rethrows -> R {
    _storage = _storage.changingLayout(to: bufferLayout)
    if !isKnownUniquelyReferenced(&_storage.memory) || !_storage.memory.isWritable {
      _storage = _storage.copied(to: _storage.layout)
    }
    return try withUnsafeMutableShapedBufferPointer(body)
  }

  /// Two arrays are equal when their shapes and elements are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.shape == right.shape && left.scalars == right.scalars
  }

  /// Hashes the shape and all elements.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(shape)
    hasher.combine(scalars)
  }

  /// The elements in nested brackets.
  public var description: String {
    if isScalar { return scalar.map { "\($0)" } ?? "" }
    return "[" + map(\.description).joined(separator: ", ") + "]"
  }
}
