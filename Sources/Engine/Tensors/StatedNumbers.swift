/// Functions for numbers from a file or a caller that are not checked yet. These functions never trap. They clamp a
/// number that is out of range, and a later check of the reader rejects the clamped number with a message.
///
/// `Scripts/check_numbers.sh` finds arithmetic in readers and shape inference that bypasses these functions.
extension Int {
  /// The bounds of sizes, axes and indices in files. An axis has at most 2³¹ − 1 elements, and the sum of two products
  /// of such numbers does not overflow.
  package static let statedRange: ClosedRange<Int> = Int(Int32.min)...Int(Int32.max)

  /// Converts a real number to an integer: truncated towards zero and clamped to the bounds. NaN becomes 0, clamped to
  /// the bounds.
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
      // The number is between the bounds, which are 64-bit integers.
      self = Int(number)
    }
  }

  /// Converts an integer of any width to `Int` and clamps it to the bounds.
  package init(
    bounding value: some BinaryInteger, to bounds: ClosedRange<Int> = Int.statedRange
  ) {
    self = Swift.min(Swift.max(Int(clamping: value), bounds.lowerBound), bounds.upperBound)
  }
}

extension Sequence<Int> {
  /// The product of all numbers; 1 if there are none. Saturates at `Int.max`.
  package var product: Int {
    var result = 1
    for number in self {
      let (value, overflow) = result.multipliedReportingOverflow(by: number)
      if overflow { return Int.max }
      result = value
    }
    return result
  }

  /// The sum of all numbers; 0 if there are none. Saturates at `Int.max`.
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
  /// Returns a constant with the same values and the given shape, which comes from a file.
  ///
  /// - Throws: ``EngineError`` if the shape has another number of values.
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
  /// The largest number of values that a reader or a writer computes while it reads or writes: 32 MiB in `Double`.
  /// ``Constant/computed(_:_:values:)`` makes larger constants, which the memory budget counts before they are
  /// computed.
  package static let computedCount = 1 << 22

  /// Makes a shape from sizes in a file, for values that a reader or a writer computes while it reads or writes.
  ///
  /// - Throws: ``EngineError`` for more than ``computedCount`` values.
  package static func computed(_ extents: [Int], _ what: String) throws -> Shape {
    let shape = Shape(extents)
    guard shape.isMeasurable, shape.count <= computedCount else {
      throw EngineError(
        .unsupported,
        "\(what) would have the shape \(shape), expected at most \(computedCount) values that a reader or a writer computes itself. The file may be damaged."
      )
    }
    return shape
  }
}

extension Constant {
  /// Returns a constant whose values depend only on settings in a file. The closure computes the values on each access.
  /// The memory budget counts the values before they are computed.
  ///
  /// - Parameter recipe: The name of the computation with all its parameters.
  /// - Throws: ``EngineError`` for more values than one tensor may have.
  package static func computed(
    _ extents: [Int], _ recipe: String, values: @escaping @Sendable () throws -> [Float]
  ) throws -> Constant {
    let shape = Shape(extents)
    guard shape.isMeasurable, shape.count <= 1 << 31 else {
      throw EngineError(
        .unsupported,
        "\(recipe) would have the shape \(shape), more values than one tensor may have. The file may be damaged."
      )
    }
    return Constant(shape, recipe: recipe, of: [], compute: values)
  }
}
