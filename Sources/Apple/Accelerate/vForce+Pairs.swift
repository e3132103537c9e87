// Functions of two vectors, and helpers of all functions of vForce.

extension vForce {
  /// Returns each base to the power of its exponent.
  public static func pow<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
    bases: U, exponents: V
  ) -> [T] {
    combine(T._functions.vvpow, exponents, bases)
  }

  /// Writes each base to the power of its exponent to `result`.
  public static func pow<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(bases: U, exponents: V, result: inout W) {
    combine(T._functions.vvpow, exponents, bases, result: &result)
  }

  /// Returns the angles of the points (x, y).
  public static func atan2<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
    x: U, y: V
  ) -> [T] {
    combine(T._functions.vvatan2, y, x)
  }

  /// Writes the angles of the points (x, y) to `result`.
  public static func atan2<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(x: U, y: V, result: inout W) {
    combine(T._functions.vvatan2, y, x, result: &result)
  }

  /// Returns each element of `magnitudes` with the sign of the element of `signs`.
  public static func copysign<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(magnitudes: U, signs: V) -> [T] {
    combine(T._functions.vvcopysign, magnitudes, signs)
  }

  /// Writes each element of `magnitudes` with the sign of the element of `signs` to `result`.
  public static func copysign<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(magnitudes: U, signs: V, result: inout W) {
    combine(T._functions.vvcopysign, magnitudes, signs, result: &result)
  }

  /// Returns the remainders of divisions whose quotients are rounded towards 0.
  public static func truncatingRemainder<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(dividends: U, divisors: V) -> [T] {
    combine(T._functions.vvfmod, dividends, divisors)
  }

  /// Writes the remainders of divisions whose quotients are rounded towards 0 to `result`.
  public static func truncatingRemainder<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(dividends: U, divisors: V, result: inout W) {
    combine(T._functions.vvfmod, dividends, divisors, result: &result)
  }

  /// Returns the remainders of divisions whose quotients are rounded to the nearest integer.
  public static func remainder<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(dividends: U, divisors: V) -> [T] {
    combine(T._functions.vvremainder, dividends, divisors)
  }

  /// Writes the remainders of divisions whose quotients are rounded to the nearest integer to `result`.
  public static func remainder<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(dividends: U, divisors: V, result: inout W) {
    combine(T._functions.vvremainder, dividends, divisors, result: &result)
  }

  /// Writes the sine and the cosine of each element.
  public static func sincos<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>,
    W: AccelerateMutableBuffer<T>
  >(_ vector: U, sinResult: inout V, cosResult: inout W) {
    sin(vector, result: &sinResult)
    cos(vector, result: &cosResult)
  }
}

// Safe, below: the functions read and write `count` elements of buffers that have `count` elements.

extension vForce {
  static func apply<T, U: AccelerateBuffer<T>>(
    _ function: VectorFunctions<T>.Elementary, to vector: U
  ) -> [T] {
    made(count: vector.count) { apply(function, to: vector, result: &$0) }
  }

  static func apply<T, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>>(
    _ function: VectorFunctions<T>.Elementary, to vector: U, result: inout V
  ) {
    withVectors(vector, &result) { input, output, count in
      inParts(count) { function(output + $0, input + $0, $1) }
    }
  }

  static func combine<T, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
    _ function: VectorFunctions<T>.ElementaryPair, _ first: U, _ second: V
  ) -> [T] {
    made(count: first.count) { combine(function, first, second, result: &$0) }
  }

  static func combine<
    T, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateMutableBuffer<T>
  >(
    _ function: VectorFunctions<T>.ElementaryPair, _ first: U, _ second: V, result: inout W
  ) {
    withVectors(first, second, &result) { a, b, output, count in
      inParts(count) { function(output + $0, a + $0, b + $0, $1) }
    }
  }

  /// Calls `body` for parts of at most 2³⁰ elements, because vForce counts elements in 32 bits.
  private static func inParts(_ count: Int, _ body: (Int, UnsafePointer<Int32>) -> Void) {
    var start = 0
    while start < count {
      var part = Int32(min(count - start, 1 << 30))
      body(start, &part)
      start += Int(part)
    }
  }
}
