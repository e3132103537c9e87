/// A tensor in row-major order. The reference implementations of operators read and return such tensors, and small
/// constants hold them.
///
/// Floating-point elements are in ``values`` as `Double`. Integers and Booleans are in ``integerValues`` as `Int64`, so
/// that all int64 values are exact. The array that the element type does not use is empty.
public struct ReferenceTensor: Sendable, Equatable {
  /// The type of the elements.
  public let element: ElementType
  /// The extents, outermost first.
  public var shape: Shape
  /// The elements of a floating-point tensor in row-major order; `shape.count` of them.
  public var values: [Double]
  /// The elements of an integer or Boolean tensor in row-major order; `shape.count` of them. True is 1.
  public var integerValues: [Int64]

  /// Creates a floating-point tensor of the given values in row-major order. This initialiser does not round the
  /// values. ``stored`` rounds them to the element type.
  public init(_ shape: Shape, _ values: [Double], _ element: ElementType = .float32) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    precondition(element.isFloatingPoint, "\(element) is an integer type")
    self.shape = shape
    self.values = values
    self.element = element
    integerValues = []
  }

  /// Creates an integer tensor of the given values in row-major order.
  public init(_ shape: Shape, integerValues: [Int64], _ element: ElementType) {
    precondition(
      integerValues.count == shape.count, "\(integerValues.count) values for the shape \(shape)")
    precondition(element.isInteger, "\(element) is not an integer type")
    self.shape = shape
    self.integerValues = integerValues
    self.element = element
    values = []
  }

  /// Creates a tensor with one value everywhere.
  public init(_ shape: Shape, repeating value: Double = 0, _ element: ElementType = .float32) {
    if element.isFloatingPoint {
      self.init(shape, [Double](repeating: value, count: shape.count), element)
    } else {
      let integer: Int64 = element.integer(value)
      self.init(shape, integerValues: [Int64](repeating: integer, count: shape.count), element)
    }
  }

  /// The element type and the shape.
  public var type: TensorType { TensorType(shape, element) }

  /// The element of a floating-point tensor at the given index along each dimension, outermost first.
  public subscript(_ index: [Int]) -> Double {
    get { values[offset(of: index)] }
    set { values[offset(of: index)] = newValue }
  }

  /// Returns a tensor with the same values and another shape, which must have the same number of elements.
  public func reshaped(to shape: Shape) -> ReferenceTensor {
    precondition(shape.count == self.shape.count, "\(self.shape) under the shape \(shape)")
    var result = self
    result.shape = shape
    return result
  }

  /// The elements as real numbers, for any type; integers above 2⁵³ lose their last bits.
  public var reals: [Double] { element.isFloatingPoint ? values : integerValues.map(Double.init) }

  /// Returns a tensor with the elements converted to another type. A conversion to a floating-point type rounds to
  /// nearest. A conversion from floats to integers truncates and clamps. A conversion between integer types keeps the
  /// low bits.
  public func converted(to other: ElementType) -> ReferenceTensor {
    if other == element { return self }
    if other.isFloatingPoint {
      return ReferenceTensor(shape, reals.map(other.rounded), other)
    }
    let numbers: [Int64] =
      element.isFloatingPoint ? values.map(other.integer) : integerValues.map(other.wrapped)
    return ReferenceTensor(shape, integerValues: numbers, other)
  }

  /// This tensor with each floating-point value rounded to the element type, or each integer wrapped to the element
  /// type.
  public var stored: ReferenceTensor {
    if element.isFloatingPoint {
      return ReferenceTensor(shape, values.map(element.rounded), element)
    }
    return ReferenceTensor(shape, integerValues: integerValues.map(element.wrapped), element)
  }

  private func offset(of index: [Int]) -> Int {
    var position = 0
    for (axis, extent) in shape.dimensions.enumerated() {
      position = position * extent + index[axis]
    }
    return position
  }
}

extension Shape {
  /// Calls the closure with every index of the shape in row-major order, and the position of the index in that order.
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
