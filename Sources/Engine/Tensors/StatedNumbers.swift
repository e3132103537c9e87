/// Numbers that a file or a caller states, before anybody has checked them. Nothing here traps: what is
/// out of range is kept to a bound, and the check that follows refuses it with a sentence.
///
/// `Scripts/check_numbers.sh` looks for arithmetic in readers and type rules that goes around these functions.
extension Int {
  /// The bounds of sizes, axes and indices that files state. An axis has 2³¹ − 1 elements at most, and the sum
  /// of two products of such numbers does not overflow.
  package static let statedRange: ClosedRange<Int> = Int(Int32.min)...Int(Int32.max)

  /// A real number as an integer: cut off towards zero and kept to bounds; NaN is the bound nearest to 0.
  package init(
    bounding value: some BinaryFloatingPoint, to bounds: ClosedRange<Int> = Int.statedRange
  ) {
    let number = Double(value)
    if number.isNaN {
      self = Swift.min(Swift.max(0, bounds.lowerBound), bounds.upperBound)
    } else if number <= Double(bounds.lowerBound) {
      self = bounds.lowerBound
    } else if number >= Double(bounds.upperBound) {
      self = bounds.upperBound
    } else {
      // Between the bounds, which are integers of 64 bits.
      self = Int(number)
    }
  }

  /// An integer of any width, kept to bounds.
  package init(
    bounding value: some BinaryInteger, to bounds: ClosedRange<Int> = Int.statedRange
  ) {
    self = Swift.min(Swift.max(Int(clamping: value), bounds.lowerBound), bounds.upperBound)
  }
}

extension Sequence<Int> {
  /// The product, 1 for none; `Int.max` where it is larger than any `Int`.
  package var product: Int {
    var result = 1
    for number in self {
      let (value, overflow) = result.multipliedReportingOverflow(by: number)
      if overflow { return Int.max }
      result = value
    }
    return result
  }

  /// The sum, 0 for none; `Int.max` where it is larger than any `Int`.
  package var saturatingSum: Int {
    var result = 0
    for number in self {
      let (value, overflow) = result.addingReportingOverflow(number)
      if overflow { return Int.max }
      result = value
    }
    return result
  }
}

extension Constant {
  /// The same values under another shape that a file states.
  ///
  /// - Throws: ``EngineError`` where the shape counts another number of values.
  package func fitted(to shape: Shape, _ what: String) throws -> Constant {
    guard shape.count == count else {
      throw EngineError(
        .invalidModel,
        "\(what) hold \(count) values (\(self.shape)), expected \(shape.count) (\(shape)). The file may be damaged."
      )
    }
    return reshaped(to: shape)
  }
}

extension Shape {
  /// The most numbers that a reader computes while it reads a file, 32 MiB in `Double`. Larger constants are made
  /// by ``Constant/computed(_:_:values:)``, which the memory budget counts before anybody computes them.
  package static let computedCount = 1 << 22

  /// The shape of numbers that a reader computes itself, from sizes that a file states.
  ///
  /// - Throws: ``EngineError`` for more than ``computedCount`` numbers.
  package static func computed(_ extents: [Int], _ what: String) throws -> Shape {
    let shape = Shape(extents)
    guard shape.isMeasurable, shape.count <= computedCount else {
      throw EngineError(
        .unsupported,
        "\(what) would be \(shape) numbers, more than the \(computedCount) that are computed while a file is read. The file may be damaged."
      )
    }
    return shape
  }
}

extension Constant {
  /// Numbers that follow from a file's settings. They are computed when somebody asks: a plan counts their memory
  /// against the budget first.
  ///
  /// - Parameter recipe: names the computation with all its numbers.
  /// - Throws: ``EngineError`` for more numbers than one tensor may have.
  package static func computed(
    _ extents: [Int], _ recipe: String, values: @escaping @Sendable () throws -> [Float]
  ) throws -> Constant {
    let shape = Shape(extents)
    guard shape.isMeasurable, shape.count <= 1 << 31 else {
      throw EngineError(
        .unsupported,
        "\(recipe) would be \(shape) numbers, more than one tensor may have. The file may be damaged."
      )
    }
    return Constant(shape, recipe: recipe, of: [], compute: values)
  }
}
