extension vDSP {
  /// The replacement of elements below a threshold.
  public enum ThresholdRule<T: vDSP_FloatingPoint>: Sendable {
    /// Elements below the threshold become the threshold.
    case clampToThreshold
    /// Elements below the threshold become 0.
    case zeroFill
    /// Elements below the threshold become the negated constant. All other elements become the constant.
    case signedConstant(T)
  }

  /// Returns the elements, limited to the range.
  public static func clip<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, to bounds: ClosedRange<T>
  ) -> [T] {
    made(count: vector.count) { clip(vector, to: bounds, result: &$0) }
  }

  /// Writes the elements, limited to the range, to `result`.
  public static func clip<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, to bounds: ClosedRange<T>, result: inout R) {
    limit(vector, bounds.lowerBound, bounds.upperBound, T._functions.vclip, &result)
  }

  /// Moves elements inside the range to a bound: negative elements to the lower bound, other elements to the upper
  /// bound.
  public static func invertedClip<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, to bounds: ClosedRange<T>
  ) -> [T] {
    made(count: vector.count) { invertedClip(vector, to: bounds, result: &$0) }
  }

  /// Writes the result of ``invertedClip(_:to:)`` to `result`.
  public static func invertedClip<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, to bounds: ClosedRange<T>, result: inout R) {
    limit(vector, bounds.lowerBound, bounds.upperBound, T._functions.viclip, &result)
  }

  /// Returns the elements. The rule replaces elements below the threshold.
  public static func threshold<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, to lowerBound: T, with rule: ThresholdRule<T>
  ) -> [T] {
    made(count: vector.count) { threshold(vector, to: lowerBound, with: rule, result: &$0) }
  }

  /// Writes the elements to `result`. The rule replaces elements below the threshold.
  public static func threshold<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, to lowerBound: T, with rule: ThresholdRule<T>, result: inout R) {
    switch rule {
    case .clampToThreshold: compare(vector, lowerBound, T._functions.vthr, &result)
    case .zeroFill: compare(vector, lowerBound, T._functions.vthres, &result)
    case .signedConstant(let constant):
      limit(vector, lowerBound, constant, T._functions.vthrsc, &result)
    }
  }

  /// Returns the constant for elements that reach the limit, and the negated constant for others.
  public static func limit<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, limit bound: T, withOutputConstant constant: T
  ) -> [T] {
    made(count: vector.count) {
      limit(vector, limit: bound, withOutputConstant: constant, result: &$0)
    }
  }

  /// Writes the constant for elements that reach the limit, and the negated constant for others, to `result`.
  public static func limit<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, limit bound: T, withOutputConstant constant: T, result: inout R) {
    limit(vector, bound, constant, T._functions.vlim, &result)
  }

  // Safe, below: the functions read and write `count` elements of vectors that have `count` elements.

  private static func compare<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, _ bound: T, _ function: VectorFunctions<T>.VectorScalar, _ result: inout R) {
    withVectors(vector, &result) { input, output, count in
      withUnsafePointer(to: bound) { function(input, 1, $0, output, 1, UInt(count)) }
    }
  }

  private static func limit<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(
    _ vector: U, _ first: T, _ second: T, _ function: VectorFunctions<T>.VectorTwoScalars,
    _ result: inout R
  ) {
    withVectors(vector, &result) { input, output, count in
      withUnsafePointer(to: first) { first in
        withUnsafePointer(to: second) { function(input, 1, first, $0, output, 1, UInt(count)) }
      }
    }
  }
}
