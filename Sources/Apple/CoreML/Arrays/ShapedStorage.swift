import CoreVideo
import Foundation

/// The content of a shaped array or slice: memory that copies share, the offset of the first element in this memory,
/// and a layout. An implementation detail, public only because ``MLShapedArrayProtocol`` names it.
public struct _ShapedStorage<Scalar: MLShapedArrayScalar>: Sendable {
  var memory: ArrayMemory
  /// The distance in elements from the start of the memory to the first element.
  var offset: Int
  var layout: ArrayLayout

  init(memory: ArrayMemory, offset: Int = 0, layout: ArrayLayout) {
    self.memory = memory
    self.offset = offset
    self.layout = layout
  }

  /// Allocates uninitialised memory for a layout.
  init(uninitialized layout: ArrayLayout) {
    precondition(
      checkedElementCount(of: layout.shape) != nil,
      "A shaped array cannot have the shape \(layout.shape).")
    memory = ArrayMemory(byteCount: layout.span * MemoryLayout<Scalar>.stride)
    offset = 0
    self.layout = layout
  }

  init(uninitializedShape shape: [Int]) {
    precondition(
      checkedElementCount(of: shape) != nil, "A shaped array cannot have the shape \(shape).")
    self.init(uninitialized: ArrayLayout(shape: shape))
  }

  /// Uses the caller's memory. The first write copies the elements into new memory.
  init(
    bytesNoCopy bytes: UnsafeRawPointer, layout: ArrayLayout, deallocator: Data.Deallocator
  ) {
    let byteCount: Int = layout.span * MemoryLayout<Scalar>.stride
    // Safe: with `isWritable: false`, every write goes to a copy, never to the caller's memory.
    memory = ArrayMemory(
      start: UnsafeMutableRawPointer(mutating: bytes), byteCount: byteCount, isWritable: false,
      release: releaseFunction(of: deallocator, byteCount: byteCount))
    offset = 0
    self.layout = layout
  }

  // Safe: every initialiser and slice ensures that `offset + layout.span` elements of `Scalar` fit into the memory.
  var pointer: UnsafeMutablePointer<Scalar> {
    memory.start.assumingMemoryBound(to: Scalar.self) + offset
  }

  var buffer: UnsafeBufferPointer<Scalar> {
    UnsafeBufferPointer(start: pointer, count: layout.span)
  }

  /// Copies the elements into new memory if the memory is read-only or has several owners.
  mutating func makeUnique() {
    if isKnownUniquelyReferenced(&memory) && memory.isWritable { return }
    self = copied(to: ArrayLayout(shape: layout.shape))
  }

  func copied(to newLayout: ArrayLayout) -> _ShapedStorage {
    let copy = _ShapedStorage(uninitialized: newLayout)
    copy.assign(from: self)
    return copy
  }

  /// Overwrites the elements with the elements of a storage of the same shape. Converts those elements to this
  /// storage's type.
  func assign<Other: MLShapedArrayScalar>(from other: _ShapedStorage<Other>) {
    convertElements(
      from: UnsafeMutableRawPointer(other.pointer), Other.multiArrayDataType, other.layout,
      to: UnsafeMutableRawPointer(pointer), Scalar.multiArrayDataType, layout)
  }

  /// Returns the part at the given indices of the leading axes. The part does not have those axes.
  func slice<C: Collection>(at indices: C) -> _ShapedStorage where C.Element == Int {
    precondition(
      indices.count <= layout.shape.count,
      "\(indices.count) indices were used on a shaped array with \(layout.shape.count) axes.")
    var start: Int = offset
    for (axis, index) in indices.enumerated() {
      precondition(
        index >= 0 && index < layout.shape[axis],
        "Index \(index) is out of range for axis \(axis) of a shaped array of shape "
          + "\(layout.shape).")
      start += index * layout.strides[axis]
    }
    let rest = ArrayLayout(
      shape: Array(layout.shape.dropFirst(indices.count)),
      strides: Array(layout.strides.dropFirst(indices.count)))
    return _ShapedStorage(memory: memory, offset: start, layout: rest)
  }

  /// Returns the part within ranges of the leading axes. The part keeps all axes.
  func slice<C: Collection>(in ranges: C) -> _ShapedStorage where C.Element == Range<Int> {
    precondition(
      ranges.count <= layout.shape.count,
      "\(ranges.count) ranges were used on a shaped array with \(layout.shape.count) axes.")
    var start: Int = offset
    var shape: [Int] = layout.shape
    for (axis, range) in ranges.enumerated() {
      precondition(
        range.lowerBound >= 0 && range.upperBound <= layout.shape[axis],
        "Range \(range) is out of bounds for axis \(axis) of a shaped array of shape "
          + "\(layout.shape).")
      if !range.isEmpty { start += range.lowerBound * layout.strides[axis] }
      shape[axis] = range.count
    }
    return _ShapedStorage(
      memory: memory, offset: start, layout: ArrayLayout(shape: shape, strides: layout.strides))
  }

  /// Returns the same elements with the axes in another order. Axis `i` of the result is axis `axes[i]` of this
  /// storage.
  func transposed(_ axes: [Int]) -> _ShapedStorage {
    precondition(
      axes.sorted() == Array(layout.shape.indices),
      "\(axes) is not a permutation of the axes of a shaped array of shape \(layout.shape).")
    let transposed = ArrayLayout(
      shape: axes.map { layout.shape[$0] }, strides: axes.map { layout.strides[$0] })
    return _ShapedStorage(memory: memory, offset: offset, layout: transposed)
  }

  /// Returns the same elements in row-major order with another shape.
  func reshaped(to shape: [Int]) -> _ShapedStorage {
    precondition(
      checkedElementCount(of: shape) == layout.count,
      "A shaped array of shape \(layout.shape) cannot be reshaped to \(shape).")
    let source: _ShapedStorage =
      layout.isContiguous ? self : copied(to: ArrayLayout(shape: layout.shape))
    return _ShapedStorage(
      memory: source.memory, offset: source.offset, layout: ArrayLayout(shape: shape))
  }

  func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> _ShapedStorage {
    let strides: [Int] = bufferLayout.strides(of: layout.shape)
    if strides == layout.strides { return self }
    return copied(to: ArrayLayout(shape: layout.shape, strides: strides))
  }

  static func concatenation(of parts: [_ShapedStorage], alongAxis axis: Int) -> _ShapedStorage {
    guard var shape = parts.first?.layout.shape else {
      preconditionFailure("Concatenation needs at least one shaped array.")
    }
    precondition(
      shape.indices.contains(axis), "Shaped arrays of shape \(shape) have no axis \(axis).")
    shape[axis] = parts.reduce(0) { $0 + $1.layout.shape[axis] }
    let result = _ShapedStorage(uninitializedShape: shape)
    var ranges: [Range<Int>] = shape.map { 0..<$0 }
    var start: Int = 0
    for part in parts {
      ranges[axis] = start..<start + part.layout.shape[axis]
      let target: _ShapedStorage = result.slice(in: ranges)
      precondition(
        target.layout.shape == part.layout.shape,
        "Shaped arrays to concatenate along axis \(axis) differ in another axis: "
          + "\(part.layout.shape) does not fit \(shape).")
      target.assign(from: part)
      start = ranges[axis].upperBound
    }
    return result
  }
}

func releaseFunction(
  of deallocator: Data.Deallocator, byteCount: Int
) -> ((UnsafeMutableRawPointer) -> Void)? {
  switch deallocator {
  case .none: return nil
  case .free: return { free($0) }
  case .custom(let function): return { function($0, byteCount) }
  default: return { munmap($0, byteCount) }
  }
}
