/// A tensor in row-major order: what definitions read and write, and what small constants are made of.
///
/// Types with fractions hold ``values``, in `Double`; whole numbers and truth values hold ``wholes``, in
/// `Int64`, so that int64 values are exact over their whole range. The other of the two is empty.
public struct ReferenceTensor: Sendable, Equatable {
  /// The type of the elements.
  public let element: ElementType
  /// The extents, outermost first.
  public var shape: Shape
  /// The elements of a tensor with fractions in row-major order; as many as `shape.count`.
  public var values: [Double]
  /// The elements of a tensor of whole numbers in row-major order; as many as `shape.count`. True is 1.
  public var wholes: [Int64]

  /// A tensor of the given values in row-major order, of a type with fractions. They are taken as they
  /// are: ``rounded(to:)`` gives what the type can hold.
  public init(_ shape: Shape, _ values: [Double], _ element: ElementType = .float32) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    precondition(element.isFloatingPoint, "\(element) holds whole numbers")
    self.shape = shape
    self.values = values
    self.element = element
    wholes = []
  }

  /// A tensor of the given whole numbers in row-major order.
  public init(_ shape: Shape, wholes: [Int64], _ element: ElementType) {
    precondition(wholes.count == shape.count, "\(wholes.count) values for the shape \(shape)")
    precondition(element.isInteger, "\(element) holds no whole numbers")
    self.shape = shape
    self.wholes = wholes
    self.element = element
    values = []
  }

  /// A tensor that holds one value everywhere.
  public init(_ shape: Shape, repeating value: Double = 0, _ element: ElementType = .float32) {
    if element.isFloatingPoint {
      self.init(shape, [Double](repeating: value, count: shape.count), element)
    } else {
      let whole: Int64 = element.whole(value)
      self.init(shape, wholes: [Int64](repeating: whole, count: shape.count), element)
    }
  }

  /// The type of the elements, and the shape.
  public var type: TensorType { TensorType(shape, element) }

  /// The element at one index a dimension, outermost first, of a tensor with fractions.
  public subscript(_ index: [Int]) -> Double {
    get { values[offset(of: index)] }
    set { values[offset(of: index)] = newValue }
  }

  /// The same values under another shape of the same count.
  public func reshaped(to shape: Shape) -> ReferenceTensor {
    precondition(shape.count == self.shape.count, "\(self.shape) under the shape \(shape)")
    var result = self
    result.shape = shape
    return result
  }

  /// The elements as real numbers, whatever the type; whole numbers above 2⁵³ lose their last bits.
  public var reals: [Double] { element.isFloatingPoint ? values : wholes.map(Double.init) }

  /// The elements in another type: rounded to nearest for types with fractions, cut off and kept to the
  /// range for whole numbers. Between types of whole numbers the low bits are kept.
  public func converted(to other: ElementType) -> ReferenceTensor {
    if other == element { return self }
    if other.isFloatingPoint {
      return ReferenceTensor(shape, reals.map(other.rounded), other)
    }
    let numbers: [Int64] =
      element.isFloatingPoint ? values.map(other.whole) : wholes.map(other.wrapped)
    return ReferenceTensor(shape, wholes: numbers, other)
  }

  /// The values as memory of the type would hold them.
  public var stored: ReferenceTensor {
    if element.isFloatingPoint {
      return ReferenceTensor(shape, values.map(element.rounded), element)
    }
    return ReferenceTensor(shape, wholes: wholes.map(element.wrapped), element)
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
