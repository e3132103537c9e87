// Functions of four vectors: one pass over them.

extension vDSP {
  /// Returns (a + b) · (c - d).
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>
  >(addition: (a: U, b: V), subtraction: (c: W, d: X)) -> [T] {
    made(count: addition.a.count) {
      multiply(addition: addition, subtraction: subtraction, result: &$0)
    }
  }

  /// Writes (a + b) · (c - d) to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(addition: (a: U, b: V), subtraction: (c: W, d: X), result: inout R) {
    precondition(addition.a.count == subtraction.d.count, "The vectors have different lengths.")
    withVector(subtraction.d) { d, _ in
      withVectors(addition.a, addition.b, subtraction.c, &result) { a, b, c, output, count in
        T._functions.vasbm(a, 1, b, 1, c, 1, d, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns (a + b) · (c + d).
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>
  >(addition sum: (a: U, b: V), addition other: (c: W, d: X)) -> [T] {
    made(count: sum.a.count) {
      multiply(addition: sum, addition: other, result: &$0)
    }
  }

  /// Writes (a + b) · (c + d) to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(addition sum: (a: U, b: V), addition other: (c: W, d: X), result: inout R) {
    precondition(sum.a.count == other.d.count, "The vectors have different lengths.")
    withVector(other.d) { d, _ in
      withVectors(sum.a, sum.b, other.c, &result) { a, b, c, output, count in
        T._functions.vaam(a, 1, b, 1, c, 1, d, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns (a - b) · (c - d).
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>
  >(subtraction difference: (a: U, b: V), subtraction other: (c: W, d: X)) -> [T] {
    made(count: difference.a.count) {
      multiply(subtraction: difference, subtraction: other, result: &$0)
    }
  }

  /// Writes (a - b) · (c - d) to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(subtraction difference: (a: U, b: V), subtraction other: (c: W, d: X), result: inout R) {
    precondition(difference.a.count == other.d.count, "The vectors have different lengths.")
    withVector(other.d) { d, _ in
      withVectors(difference.a, difference.b, other.c, &result) { a, b, c, output, count in
        T._functions.vsbsbm(a, 1, b, 1, c, 1, d, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns a · b + c · d.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>
  >(multiplication product: (a: U, b: V), multiplication other: (c: W, d: X)) -> [T] {
    made(count: product.a.count) {
      add(multiplication: product, multiplication: other, result: &$0)
    }
  }

  /// Writes a · b + c · d to `result`.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(multiplication product: (a: U, b: V), multiplication other: (c: W, d: X), result: inout R) {
    precondition(product.a.count == other.d.count, "The vectors have different lengths.")
    withVector(other.d) { d, _ in
      withVectors(product.a, product.b, other.c, &result) { a, b, c, output, count in
        T._functions.vmma(a, 1, b, 1, c, 1, d, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns a · b - c · d.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>
  >(multiplication product: (a: U, b: V), multiplication other: (c: W, d: X)) -> [T] {
    made(count: product.a.count) {
      subtract(multiplication: product, multiplication: other, result: &$0)
    }
  }

  /// Writes a · b - c · d to `result`.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
    X: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(multiplication product: (a: U, b: V), multiplication other: (c: W, d: X), result: inout R) {
    precondition(product.a.count == other.d.count, "The vectors have different lengths.")
    withVector(other.d) { d, _ in
      withVectors(product.a, product.b, other.c, &result) { a, b, c, output, count in
        T._functions.vmmsb(a, 1, b, 1, c, 1, d, 1, output, 1, UInt(count))
      }
    }
  }
}
