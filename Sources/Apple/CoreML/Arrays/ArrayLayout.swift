/// The shape and strides of an array. A stride is the distance in elements between neighbours along an axis.
struct ArrayLayout: Equatable, Sendable {
  let shape: [Int]
  let strides: [Int]
  let count: Int
  let isContiguous: Bool

  /// Makes the contiguous row-major layout of a shape.
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

  /// The distance in elements from the first element to the last element in memory, plus 1. 0 for an empty array.
  var span: Int {
    if count == 0 { return 0 }
    var last: Int = 0
    for axis in shape.indices { last += (shape[axis] - 1) * strides[axis] }
    return last + 1
  }

  /// Returns the distance in elements from the first element to the element with the given index.
  ///
  /// - Parameter index: The element's index in row-major order.
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

  /// Calls `body` for each element in row-major order. The argument is the distance in elements from the first element
  /// to that element.
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

  /// Returns whether the elements follow each other in row-major order without gaps. The stride of an axis of length 1
  /// is irrelevant.
  private static func isContiguous(shape: [Int], strides: [Int]) -> Bool {
    var expected: Int = 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] != 1 {
      if strides[axis] != expected { return false }
      expected *= max(shape[axis], 1)
    }
    return true
  }
}

/// Returns the number of elements of a shape, or nil if a dimension is negative or the product overflows.
///
/// If a dimension is 0, as in `[0, Int.max, Int.max]`, the function still checks the product of the other dimensions:
/// the strides are products of those dimensions and must not overflow.
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

/// Returns whether the distance from the first to the last element fits an `Int`, both as a number of elements and as a
/// number of bytes.
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
