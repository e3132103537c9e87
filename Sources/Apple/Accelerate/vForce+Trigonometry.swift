extension vForce {
  /// Returns the sine of each element.
  public static func sin<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvsin, to: vector)
  }

  /// Writes the sine of each element to `result`.
  public static func sin<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvsin, to: vector, result: &result)
  }

  /// Returns the cosine of each element.
  public static func cos<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvcos, to: vector)
  }

  /// Writes the cosine of each element to `result`.
  public static func cos<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvcos, to: vector, result: &result)
  }

  /// Returns the tangent of each element.
  public static func tan<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvtan, to: vector)
  }

  /// Writes the tangent of each element to `result`.
  public static func tan<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvtan, to: vector, result: &result)
  }

  /// Returns the arcsine of each element.
  public static func asin<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvasin, to: vector)
  }

  /// Writes the arcsine of each element to `result`.
  public static func asin<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvasin, to: vector, result: &result)
  }

  /// Returns the arccosine of each element.
  public static func acos<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvacos, to: vector)
  }

  /// Writes the arccosine of each element to `result`.
  public static func acos<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvacos, to: vector, result: &result)
  }

  /// Returns the arctangent of each element.
  public static func atan<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvatan, to: vector)
  }

  /// Writes the arctangent of each element to `result`.
  public static func atan<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvatan, to: vector, result: &result)
  }

  /// Returns the hyperbolic sine of each element.
  public static func sinh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvsinh, to: vector)
  }

  /// Writes the hyperbolic sine of each element to `result`.
  public static func sinh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvsinh, to: vector, result: &result)
  }

  /// Returns the hyperbolic cosine of each element.
  public static func cosh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvcosh, to: vector)
  }

  /// Writes the hyperbolic cosine of each element to `result`.
  public static func cosh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvcosh, to: vector, result: &result)
  }

  /// Returns the hyperbolic tangent of each element.
  public static func tanh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvtanh, to: vector)
  }

  /// Writes the hyperbolic tangent of each element to `result`.
  public static func tanh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvtanh, to: vector, result: &result)
  }

  /// Returns the inverse hyperbolic sine of each element.
  public static func asinh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvasinh, to: vector)
  }

  /// Writes the inverse hyperbolic sine of each element to `result`.
  public static func asinh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvasinh, to: vector, result: &result)
  }

  /// Returns the inverse hyperbolic cosine of each element.
  public static func acosh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvacosh, to: vector)
  }

  /// Writes the inverse hyperbolic cosine of each element to `result`.
  public static func acosh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvacosh, to: vector, result: &result)
  }

  /// Returns the inverse hyperbolic tangent of each element.
  public static func atanh<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvatanh, to: vector)
  }

  /// Writes the inverse hyperbolic tangent of each element to `result`.
  public static func atanh<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvatanh, to: vector, result: &result)
  }

  /// Returns the sine of π times each element.
  public static func sinPi<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvsinpi, to: vector)
  }

  /// Writes the sine of π times each element to `result`.
  public static func sinPi<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvsinpi, to: vector, result: &result)
  }

  /// Returns the cosine of π times each element.
  public static func cosPi<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvcospi, to: vector)
  }

  /// Writes the cosine of π times each element to `result`.
  public static func cosPi<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvcospi, to: vector, result: &result)
  }

  /// Returns the tangent of π times each element.
  public static func tanPi<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    apply(T._functions.vvtanpi, to: vector)
  }

  /// Writes the tangent of π times each element to `result`.
  public static func tanPi<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout V) {
    apply(T._functions.vvtanpi, to: vector, result: &result)
  }
}
