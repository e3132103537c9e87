extension vForce {
  /// Returns e to the power of each element.
  public static func exp<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvexp, to: vector)
  }

  /// Writes e to the power of each element to `result`.
  public static func exp<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvexp, to: vector, result: &result)
  }

  /// Returns 2 to the power of each element.
  public static func exp2<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvexp2, to: vector)
  }

  /// Writes 2 to the power of each element to `result`.
  public static func exp2<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvexp2, to: vector, result: &result)
  }

  /// Returns e to the power of each element, minus 1.
  public static func expm1<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvexpm1, to: vector)
  }

  /// Writes e to the power of each element, minus 1, to `result`.
  public static func expm1<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvexpm1, to: vector, result: &result)
  }

  /// Returns the natural logarithm of each element.
  public static func log<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvlog, to: vector)
  }

  /// Writes the natural logarithm of each element to `result`.
  public static func log<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvlog, to: vector, result: &result)
  }

  /// Returns the binary logarithm of each element.
  public static func log2<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvlog2, to: vector)
  }

  /// Writes the binary logarithm of each element to `result`.
  public static func log2<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvlog2, to: vector, result: &result)
  }

  /// Returns the decimal logarithm of each element.
  public static func log10<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvlog10, to: vector)
  }

  /// Writes the decimal logarithm of each element to `result`.
  public static func log10<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvlog10, to: vector, result: &result)
  }

  /// Returns the natural logarithm of 1 plus each element.
  public static func log1p<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvlog1p, to: vector)
  }

  /// Writes the natural logarithm of 1 plus each element to `result`.
  public static func log1p<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvlog1p, to: vector, result: &result)
  }

  /// Returns the binary exponent of each element.
  public static func logb<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvlogb, to: vector)
  }

  /// Writes the binary exponent of each element to `result`.
  public static func logb<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvlogb, to: vector, result: &result)
  }
}
