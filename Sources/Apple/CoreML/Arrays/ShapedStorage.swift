import CoreVideo
import Foundation

/// What a shaped array and a slice of one hold: shared memory, where in it they start, and a
/// layout. An implementation detail of the two, public only because their protocol names it.
public struct _ShapedStorage<Scalar: MLShapedArrayScalar>: Sendable {
  var memory: ArrayMemory
  /// The distance of the first element from the start of the memory, in elements.
  var offset: Int
  var layout: ArrayLayout

  init(memory: ArrayMemory, offset: Int = 0, layout: ArrayLayout) {
    self.memory = memory
    self.offset = offset
    self.layout = layout
  }

  /// New memory of undefined contents.
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

  /// Memory that the caller lends; it is copied before the first write.
  init(
    bytesNoCopy bytes: UnsafeRawPointer, layout: ArrayLayout, deallocator: Data.Deallocator
  ) {
    let byteCount: Int = layout.span * MemoryLayout<Scalar>.stride
    // Safe: `isWritable: false` keeps every write away from the lent memory.
    memory = ArrayMemory(
      start: UnsafeMutableRawPointer(mutating: bytes), byteCount: byteCount, isWritable: false,
      release: releaseFunction(of: deallocator, byteCount: byteCount))
    offset = 0
    self.layout = layout
  }

  // Safe: `offset + layout.span` elements of `Scalar` fit into the memory, by construction.
  var pointer: UnsafeMutablePointer<Scalar> {
    memory.start.assumingMemoryBound(to: Scalar.self) + offset
  }

  var buffer: UnsafeBufferPointer<Scalar> {
    UnsafeBufferPointer(start: pointer, count: layout.span)
  }

  /// Copies the elements to memory of this value's own unless it is that already.
  mutating func makeUnique() {
    if isKnownUniquelyReferenced(&memory) && memory.isWritable { return }
    self = copied(to: ArrayLayout(shape: layout.shape))
  }

  func copied(to newLayout: ArrayLayout) -> _ShapedStorage {
    let copy = _ShapedStorage(uninitialized: newLayout)
    copy.assign(from: self)
    return copy
  }

  /// Overwrites the elements with those of a storage of the same shape, converting their type.
  func assign<Other: MLShapedArrayScalar>(from other: _ShapedStorage<Other>) {
    convertElements(
      from: UnsafeMutableRawPointer(other.pointer), Other.multiArrayDataType, other.layout,
      to: UnsafeMutableRawPointer(pointer), Scalar.multiArrayDataType, layout)
  }

  /// The part at the given leading indices; those axes are dropped.
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

  /// The part within ranges of the leading axes; all axes stay.
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

  /// The same elements with their axes in another order.
  func transposed(_ axes: [Int]) -> _ShapedStorage {
    precondition(
      axes.sorted() == Array(layout.shape.indices),
      "\(axes) is not an order of the axes of a shaped array of shape \(layout.shape).")
    let turned = ArrayLayout(
      shape: axes.map { layout.shape[$0] }, strides: axes.map { layout.strides[$0] })
    return _ShapedStorage(memory: memory, offset: offset, layout: turned)
  }

  /// The same elements in row-major order under another shape.
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
      preconditionFailure("Joining shaped arrays needs at least one.")
    }
    precondition(
      shape.indices.contains(axis), "Shaped arrays of shape \(shape) have no axis \(axis) to join.")
    shape[axis] = parts.reduce(0) { $0 + $1.layout.shape[axis] }
    let whole = _ShapedStorage(uninitializedShape: shape)
    var ranges: [Range<Int>] = shape.map { 0..<$0 }
    var start: Int = 0
    for part in parts {
      ranges[axis] = start..<start + part.layout.shape[axis]
      let target: _ShapedStorage = whole.slice(in: ranges)
      precondition(
        target.layout.shape == part.layout.shape,
        "Shaped arrays joined along axis \(axis) differ in another axis: "
          + "\(part.layout.shape) does not fit \(shape).")
      target.assign(from: part)
      start = ranges[axis].upperBound
    }
    return whole
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
