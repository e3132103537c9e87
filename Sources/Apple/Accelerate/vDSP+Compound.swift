// Products with sums: one pass over the vectors.

extension vDSP {
  /// Returns a · b plus the vector.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>
  >(multiplication: (a: U, b: V), _ vector: W) -> [T] {
    made(count: vector.count) { add(multiplication: multiplication, vector, result: &$0) }
  }

  /// Writes a · b plus the vector to `result`.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(
    multiplication: (a: U, b: V), _ vector: W, result: inout R
  ) {
    withVectors(multiplication.a, multiplication.b, vector, &result) { a, b, c, output, count in
      T._functions.vma(a, 1, b, 1, c, 1, output, 1, UInt(count))
    }
  }

  /// Returns a · b plus a number.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(multiplication: (a: U, b: V), _ scalar: T) -> [T] {
    made(count: multiplication.a.count) { add(multiplication: multiplication, scalar, result: &$0) }
  }

  /// Writes a · b plus a number to `result`.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    multiplication: (a: U, b: V), _ scalar: T, result: inout R
  ) {
    withVectors(multiplication.a, multiplication.b, &result) { a, b, output, count in
      withUnsafePointer(to: scalar) { scalar in
        T._functions.vmsa(a, 1, b, 1, scalar, output, 1, UInt(count))
      }
    }
  }

  /// Returns a · b plus the vector. b is a number.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(multiplication: (a: U, b: T), _ vector: V) -> [T] {
    made(count: vector.count) { add(multiplication: multiplication, vector, result: &$0) }
  }

  /// Writes a · b plus the vector to `result`. b is a number.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    multiplication: (a: U, b: T), _ vector: V, result: inout R
  ) {
    withVectors(multiplication.a, vector, &result) { a, b, output, count in
      withUnsafePointer(to: multiplication.b) { scalar in
        T._functions.vsma(a, 1, scalar, b, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns a · b plus a number. b is a number, too.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>
  >(multiplication: (a: U, b: T), _ scalar: T) -> [T] {
    made(count: multiplication.a.count) { add(multiplication: multiplication, scalar, result: &$0) }
  }

  /// Writes a · b plus a number to `result`. b is a number, too.
  public static func add<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(multiplication: (a: U, b: T), _ scalar: T, result: inout R) {
    withVectors(multiplication.a, &result) { a, output, count in
      withUnsafePointer(to: multiplication.b) { first in
        withUnsafePointer(to: scalar) { second in
          T._functions.vsmsa(a, 1, first, second, output, 1, UInt(count))
        }
      }
    }
  }

  /// Returns a · b minus the vector.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>
  >(multiplication: (a: U, b: V), _ vector: W) -> [T] {
    made(count: vector.count) { subtract(multiplication: multiplication, vector, result: &$0) }
  }

  /// Writes a · b minus the vector to `result`.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(
    multiplication: (a: U, b: V), _ vector: W, result: inout R
  ) {
    withVectors(multiplication.a, multiplication.b, vector, &result) { a, b, c, output, count in
      T._functions.vmsb(a, 1, b, 1, c, 1, output, 1, UInt(count))
    }
  }

  /// Returns a · b minus the vector. b is a number.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(multiplication: (a: U, b: T), _ vector: V) -> [T] {
    made(count: vector.count) { subtract(multiplication: multiplication, vector, result: &$0) }
  }

  /// Writes a · b minus the vector to `result`. b is a number.
  public static func subtract<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    multiplication: (a: U, b: T), _ vector: V, result: inout R
  ) {
    withVectors(multiplication.a, vector, &result) { a, b, output, count in
      withUnsafePointer(to: multiplication.b) { scalar in
        T._functions.vsmsb(a, 1, scalar, b, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns (a + b) times the vector.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>
  >(addition: (a: U, b: V), _ vector: W) -> [T] {
    made(count: vector.count) { multiply(addition: addition, vector, result: &$0) }
  }

  /// Writes (a + b) times the vector to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(
    addition: (a: U, b: V), _ vector: W, result: inout R
  ) {
    withVectors(addition.a, addition.b, vector, &result) { a, b, c, output, count in
      T._functions.vam(a, 1, b, 1, c, 1, output, 1, UInt(count))
    }
  }

  /// Returns (a + b) times a number.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(addition: (a: U, b: V), _ scalar: T) -> [T] {
    made(count: addition.a.count) { multiply(addition: addition, scalar, result: &$0) }
  }

  /// Writes (a + b) times a number to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    addition: (a: U, b: V), _ scalar: T, result: inout R
  ) {
    withVectors(addition.a, addition.b, &result) { a, b, output, count in
      withUnsafePointer(to: scalar) { scalar in
        T._functions.vasm(a, 1, b, 1, scalar, output, 1, UInt(count))
      }
    }
  }

  /// Returns (a - b) times the vector.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>
  >(subtraction: (a: U, b: V), _ vector: W) -> [T] {
    made(count: vector.count) { multiply(subtraction: subtraction, vector, result: &$0) }
  }

  /// Writes (a - b) times the vector to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    W: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(
    subtraction: (a: U, b: V), _ vector: W, result: inout R
  ) {
    withVectors(subtraction.a, subtraction.b, vector, &result) { a, b, c, output, count in
      T._functions.vsbm(a, 1, b, 1, c, 1, output, 1, UInt(count))
    }
  }

  /// Returns (a - b) times a number.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(subtraction: (a: U, b: V), _ scalar: T) -> [T] {
    made(count: subtraction.a.count) { multiply(subtraction: subtraction, scalar, result: &$0) }
  }

  /// Writes (a - b) times a number to `result`.
  public static func multiply<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(
    subtraction: (a: U, b: V), _ scalar: T, result: inout R
  ) {
    withVectors(subtraction.a, subtraction.b, &result) { a, b, output, count in
      withUnsafePointer(to: scalar) { scalar in
        T._functions.vsbsm(a, 1, b, 1, scalar, output, 1, UInt(count))
      }
    }
  }
}
