import Graph

/// The order of values along an axis: not-a-number counts as greater than every number, and what
/// is equal keeps its order.
package func isOrdered(_ first: Double, before second: Double, descending: Bool) -> Bool {
  let (left, right) = descending ? (second, first) : (first, second)
  if left.isNaN || right.isNaN { return right.isNaN && !left.isNaN }
  return left < right
}

/// The order of whole numbers along an axis.
package func isOrdered(_ first: Int64, before second: Int64, descending: Bool) -> Bool {
  descending ? second < first : first < second
}

/// The lines of a tensor along an axis, as positions of their elements.
package struct AxisLines {
  private let outer: Int
  private let extent: Int
  private let inner: Int

  /// The lines of a shape.
  package init(_ shape: Shape, axis: Int) {
    outer = shape.dimensions[..<axis].product
    extent = shape[axis]
    inner = shape.dimensions[(axis + 1)...].product
  }

  /// Calls the closure with the positions of each line, and with those of the same line in a tensor of another
  /// extent along the axis.
  package func forEach(
    extent other: Int? = nil, _ body: (_ line: [Int], _ same: [Int]) -> Void
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
  /// Positions in the order of what stands there; what is equal keeps its order. Gives places in the line.
  package func places(_ isOrdered: (_ first: Int, _ second: Int) -> Bool) -> [Int] {
    indices.sorted { first, second in
      if isOrdered(self[first], self[second]) { return true }
      return first < second && !isOrdered(self[second], self[first])
    }
  }
}

extension ElementType {
  /// The type of positions among elements of a type: whole numbers among such, else `float32`.
  package static func places(of element: ElementType) -> ElementType {
    element.isInteger ? .int32 : .float32
  }
}
