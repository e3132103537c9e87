/// A tensor of `Double` values in row-major order: what reference kernels read and write, and what
/// constants are made of.
///
/// Integers and booleans are held as their values (true is 1).
public struct ReferenceTensor: Sendable, Equatable {
  /// The extents, outermost first.
  public var shape: Shape
  /// The elements in row-major order; as many as `shape.count`.
  public var values: [Double]

  /// A tensor of the given values in row-major order.
  public init(_ shape: Shape, _ values: [Double]) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    self.shape = shape
    self.values = values
  }

  /// A tensor that holds one value everywhere.
  public init(_ shape: Shape, repeating value: Double = 0) {
    self.init(shape, [Double](repeating: value, count: shape.count))
  }

  /// The element at one index a dimension, outermost first.
  public subscript(_ index: [Int]) -> Double {
    get { values[offset(of: index)] }
    set { values[offset(of: index)] = newValue }
  }

  /// The same values under another shape of the same count.
  public func reshaped(to shape: Shape) -> ReferenceTensor { ReferenceTensor(shape, values) }

  private func offset(of index: [Int]) -> Int {
    var position = 0
    for (axis, extent) in shape.dimensions.enumerated() {
      position = position * extent + index[axis]
    }
    return position
  }
}

extension Shape {
  /// Calls the closure with every index of the shape in row-major order, and its position.
  public func forEachIndex(_ body: (_ index: [Int], _ position: Int) throws -> Void) rethrows {
    guard !dimensions.contains(0) else { return }
    var index = [Int](repeating: 0, count: rank)
    for position in 0..<count {
      try body(index, position)
      var axis = rank - 1
      while axis >= 0 {
        index[axis] += 1
        if index[axis] < dimensions[axis] { break }
        index[axis] = 0
        axis -= 1
      }
    }
  }
}
