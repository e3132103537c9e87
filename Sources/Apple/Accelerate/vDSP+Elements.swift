// Functions of single elements, and of two elements at a time.

extension vDSP {
  /// Returns the magnitude of each element.
  public static func absolute<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    made(count: vector.count) { absolute(vector, result: &$0) }
  }

  /// Writes the magnitude of each element to `result`.
  public static func absolute<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vabs(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns each element with the opposite sign.
  public static func negative<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    made(count: vector.count) { negative(vector, result: &$0) }
  }

  /// Writes each element with the opposite sign to `result`.
  public static func negative<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vneg(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns the negated magnitude of each element.
  public static func negativeAbsolute<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ vector: U) -> [T] {
    made(count: vector.count) { negativeAbsolute(vector, result: &$0) }
  }

  /// Writes the negated magnitude of each element to `result`.
  public static func negativeAbsolute<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vnabs(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns the square of each element.
  public static func square<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    made(count: vector.count) { square(vector, result: &$0) }
  }

  /// Writes the square of each element to `result`.
  public static func square<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vsq(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns the square of each element, with the sign of the element.
  public static func signedSquare<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ vector: U) -> [T] {
    made(count: vector.count) { signedSquare(vector, result: &$0) }
  }

  /// Writes the square of each element, with the sign of the element, to `result`.
  public static func signedSquare<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vssq(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns the fraction of each element, with the sign of the element.
  public static func trunc<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> [T] {
    made(count: vector.count) { trunc(vector, result: &$0) }
  }

  /// Writes the fraction of each element, with the sign of the element, to `result`.
  public static func trunc<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      T._functions.vfrac(a, 1, output, 1, UInt(count))
    }
  }

  /// Returns the element-by-element maximum of two vectors.
  public static func maximum<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { maximum(vectorA, vectorB, result: &$0) }
  }

  /// Writes the element-by-element maximum of two vectors to `result`.
  public static func maximum<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vmax(a, 1, b, 1, output, 1, UInt(count))
    }
  }

  /// Returns the element-by-element minimum of two vectors.
  public static func minimum<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { minimum(vectorA, vectorB, result: &$0) }
  }

  /// Writes the element-by-element minimum of two vectors to `result`.
  public static func minimum<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vmin(a, 1, b, 1, output, 1, UInt(count))
    }
  }

  /// Returns √(a² + b²) for the elements a and b of two vectors.
  public static func hypot<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { hypot(vectorA, vectorB, result: &$0) }
  }

  /// Writes √(a² + b²) for the elements a and b of two vectors to `result`.
  public static func hypot<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vdist(a, 1, b, 1, output, 1, UInt(count))
    }
  }
}
