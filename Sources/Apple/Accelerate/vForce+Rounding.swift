extension vForce {
  /// Returns the square root of each element.
  public static func sqrt<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvsqrt, to: vector)
  }

  /// Writes the square root of each element to `result`.
  public static func sqrt<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvsqrt, to: vector, result: &result)
  }

  /// Returns the reciprocal of the square root of each element.
  public static func rsqrt<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvrsqrt, to: vector)
  }

  /// Writes the reciprocal of the square root of each element to `result`.
  public static func rsqrt<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvrsqrt, to: vector, result: &result)
  }

  /// Returns the reciprocal of each element.
  public static func reciprocal<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvrec, to: vector)
  }

  /// Writes the reciprocal of each element to `result`.
  public static func reciprocal<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvrec, to: vector, result: &result)
  }

  /// Returns each element, rounded up.
  public static func ceil<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvceil, to: vector)
  }

  /// Writes each element, rounded up, to `result`.
  public static func ceil<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvceil, to: vector, result: &result)
  }

  /// Returns each element, rounded down.
  public static func floor<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvfloor, to: vector)
  }

  /// Writes each element, rounded down, to `result`.
  public static func floor<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvfloor, to: vector, result: &result)
  }

  /// Returns each element, rounded towards 0.
  public static func trunc<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvint, to: vector)
  }

  /// Writes each element, rounded towards 0, to `result`.
  public static func trunc<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvint, to: vector, result: &result)
  }

  /// Returns each element, rounded to the nearest integer.
  public static func nearestInteger<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U)
    -> [T]
  {
    apply(T._functions.vvnint, to: vector)
  }

  /// Writes each element, rounded to the nearest integer, to `result`.
  public static func nearestInteger<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvnint, to: vector, result: &result)
  }
}
