import Graph

/// The numbers from a start towards an end in equal steps, the end excluded, as `numpy.arange`:
/// ⌈(end − start) / step⌉ of them.
///
/// The quotient is taken in `float32`, so that 0.6 / 0.2 counts three numbers as it does in decimal.
package struct ArithmeticRange: Sendable {
  package let start: Float
  package let count: Int
  package let step: Float

  /// Throws for a step of zero, for what is not a number, and for more numbers than a tensor holds.
  package init(start: Float, end: Float, step: Float) throws {
    guard step != 0, start.isFinite, end.isFinite, step.isFinite else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of \(step) has no end; finite bounds and a step other than 0 are expected."
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

  /// The type of the range: a vector.
  package var type: TensorType { TensorType([count]) }

  /// The numbers.
  package var values: ReferenceTensor {
    ReferenceTensor([count], (0..<count).map { Double(start) + Double($0) * Double(step) })
  }
}

/// A range of whole numbers, exact over the whole range of `Int64`.
package struct WholeRange: Sendable {
  package let start: Int64
  package let step: Int64
  package let count: Int

  /// Throws for a step of zero, and for more numbers than a tensor holds.
  package init(start: Int64, end: Int64, step: Int64) throws {
    guard step != 0 else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of 0 has no end; another step is expected.")
    }
    self.start = start
    self.step = step
    guard step > 0 ? start < end : start > end else {
      count = 0
      return
    }
    // The distance fits 64 bits without a sign.
    let distance = UInt64(bitPattern: step > 0 ? end &- start : start &- end)
    let most: UInt64 = (distance - 1) / step.magnitude
    guard most < UInt64(Shape.maximumCount) else {
      throw EngineError(
        .invalidInput,
        "a range from \(start) to \(end) in steps of \(step) has \(most) numbers or more, more than one tensor may have."
      )
    }
    count = Int(bounding: most, to: 0...Shape.maximumCount) + 1
  }

  /// The numbers.
  package var values: [Int64] { (0..<Int64(count)).map { start &+ $0 &* step } }
}
