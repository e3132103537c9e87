extension vDSP {
  /// Returns the sum of the elements.
  public static func sum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.sve)
  }

  /// Returns the sum of the squares.
  public static func sumOfSquares<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.svesq)
  }

  /// Returns the sum of the magnitudes.
  public static func sumOfMagnitudes<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U)
    -> T
  {
    reduced(vector, T._functions.svemg)
  }

  /// Returns the mean; NaN for an empty vector.
  public static func mean<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.meanv)
  }

  /// Returns the mean of the squares.
  public static func meanSquare<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.measqv)
  }

  /// Returns the mean of the magnitudes.
  public static func meanMagnitude<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T
  {
    reduced(vector, T._functions.meamgv)
  }

  /// Returns the root of the mean of the squares.
  public static func rootMeanSquare<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T
  {
    reduced(vector, T._functions.rmsqv)
  }

  /// Returns the greatest element; -∞ for an empty vector.
  public static func maximum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.maxv)
  }

  /// Returns the smallest element; ∞ for an empty vector.
  public static func minimum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U) -> T {
    reduced(vector, T._functions.minv)
  }

  /// Returns the greatest magnitude; 0 for an empty vector.
  public static func maximumMagnitude<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(_ vector: U)
    -> T
  {
    reduced(vector, T._functions.maxmgv)
  }

  /// Returns the first index of the greatest element, and its value. The index in an empty vector is 0.
  public static func indexOfMaximum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> (UInt, T) {
    indexed(vector, T._functions.maxvi)
  }

  /// Returns the first index of the smallest element, and its value. The index in an empty vector is 0.
  public static func indexOfMinimum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> (UInt, T) {
    indexed(vector, T._functions.minvi)
  }

  /// Returns the first index of the greatest magnitude, and its value. The index in an empty vector is 0.
  public static func indexOfMaximumMagnitude<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> (UInt, T) {
    indexed(vector, T._functions.maxmgvi)
  }

  /// Returns the sum of the elements and the sum of their squares.
  public static func sumAndSumOfSquares<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> (elementsSum: T, squaresSum: T) {
    (sum(vector), sumOfSquares(vector))
  }

  /// Returns the dot product.
  public static func dot<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>>(
    _ vectorA: U, _ vectorB: V
  ) -> T {
    paired(vectorA, vectorB, T._functions.dotpr)
  }

  /// Returns the sum of the squared differences.
  public static func distanceSquared<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ pointA: U, _ pointB: V) -> T {
    paired(pointA, pointB, T._functions.distancesq)
  }

  /// Returns the standard deviation, with the number of elements as divisor.
  public static func standardDeviation<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> T {
    var (mean, deviation): (T, T) = (.nan, .nan)
    withVector(vector) { input, count in
      T._functions.normalize(input, 1, nil, 1, &mean, &deviation, UInt(count))
    }
    return deviation
  }

  /// Returns the elements minus their mean, divided by their standard deviation.
  public static func normalize<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U
  ) -> [T] {
    made(count: vector.count) { normalize(vector, result: &$0) }
  }

  /// Writes the elements minus their mean, divided by their standard deviation, to `result`.
  public static func normalize<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, result: inout R) {
    var (mean, deviation): (T, T) = (.nan, .nan)
    withVectors(vector, &result) { input, output, count in
      T._functions.normalize(input, 1, output, 1, &mean, &deviation, UInt(count))
    }
  }

  // Safe, below: the functions read `count` elements of vectors that have `count` elements.

  private static func reduced<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, _ function: VectorFunctions<T>.Reduction
  ) -> T {
    var (result, unread): (T, T) = (0, 0)
    function(&unread, 1, &result, 0)
    withVector(vector) { input, count in function(input, 1, &result, UInt(count)) }
    return result
  }

  private static func indexed<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, _ function: VectorFunctions<T>.IndexedReduction
  ) -> (UInt, T) {
    var (result, unread): (T, T) = (0, 0)
    var index: UInt = 0
    function(&unread, 1, &result, &index, 0)
    withVector(vector) { input, count in function(input, 1, &result, &index, UInt(count)) }
    return (index, result)
  }

  private static func paired<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ first: U, _ second: V, _ function: VectorFunctions<T>.PairReduction) -> T {
    precondition(first.count == second.count, "The vectors have different lengths.")
    var result: T = 0
    withVector(first) { a, count in
      withVector(second) { b, _ in function(a, 1, b, 1, &result, UInt(count)) }
    }
    return result
  }
}
