extension vDSP {
  /// Returns a number plus each element.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ scalar: T, _ vector: U) -> [T] {
    made(count: vector.count) { add(scalar, vector, result: &$0) }
  }

  /// Writes a number plus each element to `result`.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ scalar: T, _ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      withUnsafePointer(to: scalar) { T._functions.vsadd(a, 1, $0, output, 1, UInt(count)) }
    }
  }

  /// Returns the element-by-element sum of two vectors.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { add(vectorA, vectorB, result: &$0) }
  }

  /// Writes the element-by-element sum of two vectors to `result`.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vadd(a, 1, b, 1, output, 1, UInt(count))
    }
  }

  /// Returns the elements of the first vector minus the elements of the second vector.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { subtract(vectorA, vectorB, result: &$0) }
  }

  /// Writes the elements of the first vector minus the elements of the second vector to `result`.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vsub(b, 1, a, 1, output, 1, UInt(count))
    }
  }

  /// Returns a number times each element.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ scalar: T, _ vector: U) -> [T] {
    made(count: vector.count) { multiply(scalar, vector, result: &$0) }
  }

  /// Writes a number times each element to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ scalar: T, _ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      withUnsafePointer(to: scalar) { T._functions.vsmul(a, 1, $0, output, 1, UInt(count)) }
    }
  }

  /// Returns the element-by-element product of two vectors.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { multiply(vectorA, vectorB, result: &$0) }
  }

  /// Writes the element-by-element product of two vectors to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vmul(a, 1, b, 1, output, 1, UInt(count))
    }
  }

  /// Returns a number divided by each element.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ scalar: T, _ vector: U) -> [T] {
    made(count: vector.count) { divide(scalar, vector, result: &$0) }
  }

  /// Writes a number divided by each element to `result`.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ scalar: T, _ vector: U, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      withUnsafePointer(to: scalar) { T._functions.svdiv($0, a, 1, output, 1, UInt(count)) }
    }
  }

  /// Returns each element divided by a number.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(_ vector: U, _ scalar: T) -> [T] {
    made(count: vector.count) { divide(vector, scalar, result: &$0) }
  }

  /// Writes each element divided by a number to `result`.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, _ scalar: T, result: inout R) {
    withVectors(vector, &result) { a, output, count in
      withUnsafePointer(to: scalar) { T._functions.vsdiv(a, 1, $0, output, 1, UInt(count)) }
    }
  }

  /// Returns the elements of the first vector divided by the elements of the second vector.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V) -> [T] {
    made(count: vectorA.count) { divide(vectorA, vectorB, result: &$0) }
  }

  /// Writes the elements of the first vector divided by the elements of the second vector to `result`.
  public static func divide<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    _ vectorA: U, _ vectorB: V, result: inout R
  ) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      T._functions.vdiv(b, 1, a, 1, output, 1, UInt(count))
    }
  }
}
