extension Constant {
  /// Returns a constant with one value everywhere. Calls with equal values and shapes return constants with equal
  /// identities.
  public static func repeating(_ value: Float, _ shape: Shape) -> Constant {
    Constant(shape, recipe: "\(value) as \(shape)", of: []) {
      [Float](repeating: value, count: shape.count)
    }
  }

  /// Returns a row of `count` values: the constant's values, or its single value repeated. Nil if the constant has
  /// neither `count` values nor one value.
  public func stretched(to count: Int) -> Constant? {
    if self.count == count { return reshaped(to: [count]) }
    guard self.count == 1 else { return nil }
    return Constant([count], recipe: "repeated \(count) times", of: [self]) { [self] in
      [Float](repeating: try floats()[0], count: count)
    }
  }

  /// Returns a slice of the constant: the indices on the first axis that are in the range.
  public func rows(_ range: Range<Int>) -> Constant {
    var part: Shape = shape
    part[0] = range.count
    let size: Int = count / max(1, shape[0])
    return Constant(part, recipe: "rows \(range)", of: [self]) { [self] in
      Array(try floats()[range.lowerBound * size..<range.upperBound * size])
    }
  }

  /// Returns the sum of this constant and another constant of the same shape.
  public func plus(_ other: Constant) -> Constant {
    precondition(other.shape == shape, "\(other.shape) added to \(shape)")
    return Constant(shape, recipe: "sum", of: [self, other]) { [self] in
      try zip(floats(), other.floats()).map { $0 + $1 }
    }
  }
}
