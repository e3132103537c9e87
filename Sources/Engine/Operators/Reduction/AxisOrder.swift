import Graph

/// Returns whether `first` comes before `second` in sorted order. NaN counts as greater than every number. The result
/// is false for equal values, because a sort keeps their order.
package func isOrdered(_ first: Double, before second: Double, descending: Bool) -> Bool {
  let (left, right) = descending ? (second, first) : (first, second)
  if left.isNaN || right.isNaN { return right.isNaN && !left.isNaN }
  return left < right
}

/// Returns whether the integer `first` comes before `second` in sorted order.
package func isOrdered(_ first: Int64, before second: Int64, descending: Bool) -> Bool {
  descending ? second < first : first < second
}

/// The vectors of a tensor along an axis. There is one vector for each combination of indices on the other axes.
package struct AxisVectors {
  private let outer: Int
  private let extent: Int
  private let inner: Int

  /// Creates the vectors of a tensor with this shape along an axis.
  package init(_ shape: Shape, axis: Int) {
    outer = shape.dimensions[..<axis].product
    extent = shape[axis]
    inner = shape.dimensions[(axis + 1)...].product
  }

  /// Calls the closure for each vector of the tensor, together with the vector at the same indices in a second tensor.
  /// `vector` and `same` hold the offsets of the elements of these two vectors. The second tensor has the extent
  /// `other` along the axis, or the first tensor's extent if `other` is nil. All other extents are those of the first
  /// tensor.
  package func forEach(
    extent other: Int? = nil, _ body: (_ vector: [Int], _ same: [Int]) -> Void
  ) {
    let other: Int = other ?? extent
    for plane in 0..<outer {
      for column in 0..<inner {
        body(
          (0..<extent).map { (plane * extent + $0) * inner + column },
          (0..<other).map { (plane * other + $0) * inner + column })
      }
    }
  }
}

extension [Int] {
  /// Sorts the elements at the offsets in this array. `isOrdered` compares the elements at two offsets. Returns the
  /// sorted order as indices into this array. Equal elements keep their order.
  package func sortedIndices(_ isOrdered: (_ first: Int, _ second: Int) -> Bool) -> [Int] {
    indices.sorted { first, second in
      if isOrdered(self[first], self[second]) { return true }
      return first < second && !isOrdered(self[second], self[first])
    }
  }
}

extension ElementType {
  /// Returns the element type of the indices that an operator returns for an input of type `element`: `int32` if
  /// `element` is an integer type, otherwise `float32`.
  package static func indexType(of element: ElementType) -> ElementType {
    element.isInteger ? .int32 : .float32
  }
}
