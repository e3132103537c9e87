import Graph

/// Evenly spaced numbers from a start to an exclusive end, like `numpy.arange`: ⌈(end − start) / step⌉ numbers.
///
/// The quotient is computed in `float32`, in which 0.6 / 0.2 is exactly 3. A range from 0 to 0.6 with the step 0.2
/// therefore has three numbers, as in decimal arithmetic.
package struct ArithmeticRange: Sendable {
  /// The first number.
  package let start: Float
  /// How many numbers the range has.
  package let count: Int
  /// The difference between neighbouring numbers.
  package let step: Float

  /// Creates a range. Throws if the step is zero, if a number is not finite, or if the range has more numbers than a
  /// tensor can hold.
  package init(start: Float, end: Float, step: Float) throws {
    guard step != 0, start.isFinite, end.isFinite, step.isFinite else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of \(step) has no end; expected finite bounds and a step other than 0."
      )
    }
    let quotient: Float = ((end - start) / step).rounded(.up)
    guard quotient <= Float(Shape.maximumCount) else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of \(step) has \(quotient) numbers, more than one tensor may have."
      )
    }
    self.start = start
    self.step = step
    count = Int(bounding: quotient, to: 0...Shape.maximumCount)
  }

  /// The type of the tensor that holds the range. The tensor is a vector.
  package var type: TensorType { TensorType([count]) }

  /// The numbers.
  package var values: ReferenceTensor {
    ReferenceTensor([count], (0..<count).map { Double(start) + Double($0) * Double(step) })
  }
}

/// A range of integers. All computations are exact, for any `Int64` start and end.
package struct IntegerRange: Sendable {
  /// The first number.
  package let start: Int64
  /// The difference between neighbouring numbers.
  package let step: Int64
  /// How many numbers the range has.
  package let count: Int

  /// Creates a range. Throws if the step is zero, or if the range has more numbers than a tensor can hold.
  package init(start: Int64, end: Int64, step: Int64) throws {
    guard step != 0 else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of 0 has no end; expected another step.")
    }
    self.start = start
    self.step = step
    guard step > 0 ? start < end : start > end else {
      count = 0
      return
    }
    // The distance between two `Int64` values fits into a `UInt64`.
    let distance = UInt64(bitPattern: step > 0 ? end &- start : start &- end)
    let lastIndex: UInt64 = (distance - 1) / step.magnitude
    guard lastIndex < UInt64(Shape.maximumCount) else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of \(step) has \(lastIndex) numbers or more, more than one tensor may have."
      )
    }
    count = Int(bounding: lastIndex, to: 0...Shape.maximumCount) + 1
  }

  /// The numbers.
  package var values: [Int64] { (0..<Int64(count)).map { start &+ $0 &* step } }
}
