/// Where the elements of a strided array lie: a shape and, for each axis, the distance between
/// neighbours in elements.
struct ArrayLayout: Equatable, Sendable {
  let shape: [Int]
  let strides: [Int]
  let count: Int
  let isContiguous: Bool

  /// The layout with the last axis fastest and no gaps.
  init(shape: [Int]) {
    self.shape = shape
    strides = ArrayLayout.contiguousStrides(of: shape)
    count = shape.reduce(1, *)
    isContiguous = true
  }

  init(shape: [Int], strides: [Int]) {
    precondition(
      shape.count == strides.count,
      "The shape \(shape) has \(shape.count) axes but there are \(strides.count) strides.")
    self.shape = shape
    self.strides = strides
    count = shape.reduce(1, *)
    isContiguous = ArrayLayout.isContiguous(shape: shape, strides: strides)
  }

  /// The number of elements between the first and the last one, both included; 0 when empty.
  var span: Int {
    if count == 0 { return 0 }
    var last: Int = 0
    for axis in shape.indices { last += (shape[axis] - 1) * strides[axis] }
    return last + 1
  }

  /// The distance of an element from the first one, given its index in row-major order.
  @inline(__always)
  func offset(ofLinearIndex index: Int) -> Int {
    if isContiguous { return index }
    return stridedOffset(ofLinearIndex: index)
  }

  private func stridedOffset(ofLinearIndex index: Int) -> Int {
    var rest: Int = index
    var offset: Int = 0
    for axis in stride(from: shape.count - 1, through: 0, by: -1) {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: shape[axis])
      offset += remainder * strides[axis]
      rest = quotient
    }
    return offset
  }

  /// Calls `body` with the distance of every element in row-major order.
  func forEachOffset(_ body: (Int) throws -> Void) rethrows {
    if count == 0 { return }
    guard let columns = shape.last, let columnStride = strides.last else {
      try body(0)
      return
    }
    var index: [Int] = Array(repeating: 0, count: shape.count - 1)
    var row: Int = 0
    while true {
      var offset: Int = row
      for _ in 0..<columns {
        try body(offset)
        offset += columnStride
      }
      var axis: Int = index.count - 1
      while axis >= 0 {
        index[axis] += 1
        row += strides[axis]
        if index[axis] < shape[axis] { break }
        row -= shape[axis] * strides[axis]
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }

  static func contiguousStrides(of shape: [Int]) -> [Int] {
    var strides: [Int] = Array(repeating: 1, count: shape.count)
    var next: Int = 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) {
      strides[axis] = next
      next *= max(shape[axis], 1)
    }
    return strides
  }

  /// True when the elements follow each other in row-major order; strides of axes of length 1
  /// do not matter.
  private static func isContiguous(shape: [Int], strides: [Int]) -> Bool {
    var expected: Int = 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] != 1 {
      if strides[axis] != expected { return false }
      expected *= max(shape[axis], 1)
    }
    return true
  }
}

/// The number of elements of a shape, or nil when a dimension is negative or the product overflows,
/// also where it is empty: its strides are products of the other dimensions.
func checkedElementCount(of shape: [Int]) -> Int? {
  var count: Int = 1
  for dimension in shape {
    if dimension < 0 { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: max(dimension, 1))
    if overflow { return nil }
    count = product
  }
  return shape.contains(0) ? 0 : count
}

/// Whether the distance of the last element from the first can be counted.
func isMeasurable(shape: [Int], strides: [Int]) -> Bool {
  var last: Int = 0
  for (extent, stride) in zip(shape, strides) {
    let (distance, overflows) = max(extent - 1, 0).multipliedReportingOverflow(by: stride)
    let (sum, exceeds) = last.addingReportingOverflow(distance)
    if overflows || exceeds { return false }
    last = sum
  }
  return last <= Int.max / 16
}
