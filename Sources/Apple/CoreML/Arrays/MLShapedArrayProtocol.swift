import Foundation

/// What a shaped array and a slice of one have in common.
///
/// As a collection, the elements are the slices along the first axis. Copies are independent:
/// memory is shared until one of them is changed.
public protocol MLShapedArrayProtocol<Scalar>: ExpressibleByArrayLiteral, MutableCollection,
  RandomAccessCollection, Hashable, Sendable, CustomStringConvertible
where Index == Int, Element == MLShapedArraySlice<Scalar>, SubSequence == Slice<Self> {
  /// The type of the numbers in the array.
  associatedtype Scalar: MLShapedArrayScalar

  /// The memory and layout; an implementation detail.
  var _storage: _ShapedStorage<Scalar> { get set }

  /// Wraps a storage; an implementation detail.
  init(_storage: _ShapedStorage<Scalar>)
}

extension MLShapedArrayProtocol {
  /// The length of each axis.
  public var shape: [Int] { _storage.layout.shape }

  /// The distance between neighbours along each axis, in elements.
  public var strides: [Int] { _storage.layout.strides }

  /// The number of numbers in the array.
  public var scalarCount: Int { _storage.layout.count }

  /// True for an array without axes, which holds one number.
  public var isScalar: Bool { shape.isEmpty }

  /// The number of an array without axes, nil for all others.
  public var scalar: Scalar? {
    get { isScalar ? _storage.pointer[0] : nil }
    set {
      guard let newValue, isScalar else {
        preconditionFailure("Only an array without axes has a scalar, and it cannot lose it.")
      }
      _storage.makeUnique()
      _storage.pointer[0] = newValue
    }
  }

  /// All numbers in row-major order.
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

  /// The number at one index per axis.
  public subscript<C: Collection>(scalarAt indices: C) -> Scalar where C.Element == Int {
    get { scalarStorage(at: indices).pointer[0] }
    set {
      _storage.makeUnique()
      scalarStorage(at: indices).pointer[0] = newValue
    }
  }

  /// The number at one index per axis.
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

  /// Sets every number to one value.
  public mutating func fill(with value: Scalar) {
    _storage.makeUnique()
    let pointer: UnsafeMutablePointer<Scalar> = _storage.pointer
    _storage.layout.forEachOffset { pointer[$0] = value }
  }

  /// Sets the numbers in row-major order to those of a collection with as many elements.
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

  /// Calls `body` with the numbers in memory, the shape, and the strides in elements.
  public func withUnsafeShapedBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Scalar>, [Int], [Int]) throws -> R
  ) rethrows -> R {
    try withExtendedLifetime(_storage.memory) {
      try body(_storage.buffer, _storage.layout.shape, _storage.layout.strides)
    }
  }

  /// Calls `body` with the numbers in memory for change, the shape, and the strides in elements.
  public mutating func withUnsafeMutableShapedBufferPointer<R>(
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, [Int], [Int]) throws -> R
  ) rethrows -> R {
    _storage.makeUnique()
    var buffer = UnsafeMutableBufferPointer(start: _storage.pointer, count: _storage.layout.span)
    return try body(&buffer, _storage.layout.shape, _storage.layout.strides)
  }

  /// Calls `body` as ``withUnsafeMutableShapedBufferPointer(_:)`` does, after giving the memory the
  /// asked layout.
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

  /// Arrays are equal when their shapes and all their numbers are.
  public static func == (left: Self, right: Self) -> Bool {
    left.shape == right.shape && left.scalars == right.scalars
  }

  /// Feeds shape and numbers to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(shape)
    hasher.combine(scalars)
  }

  /// The numbers in nested brackets.
  public var description: String {
    if isScalar { return scalar.map { "\($0)" } ?? "" }
    return "[" + map(\.description).joined(separator: ", ") + "]"
  }
}
