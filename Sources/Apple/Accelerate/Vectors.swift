// Access to the memory of several vectors at once. The caller must pass vectors of equal length, as in Apple's vDSP.

/// Returns a new array of `count` elements that `body` writes.
func made<T>(count: Int, _ body: (inout UnsafeMutableBufferPointer<T>) -> Void) -> [T] {
  // Safe: every caller writes all elements.
  [T](unsafeUninitializedCapacity: count) { buffer, initialized in
    var whole = UnsafeMutableBufferPointer(rebasing: buffer[0..<count])
    body(&whole)
    initialized = count
  }
}

/// Calls `body` with the elements of one vector if it is not empty.
func withVector<T, U: AccelerateBuffer<T>>(
  _ vector: U, _ body: (UnsafePointer<T>, Int) -> Void
) {
  vector.withUnsafeBufferPointer {
    if let base = $0.baseAddress, !$0.isEmpty { body(base, $0.count) }
  }
}

/// Calls `body` with the elements of a result if it is not empty.
func withResult<T, V: AccelerateMutableBuffer<T>>(
  _ result: inout V, _ body: (UnsafeMutablePointer<T>, Int) -> Void
) {
  result.withUnsafeMutableBufferPointer {
    if let base = $0.baseAddress, !$0.isEmpty { body(base, $0.count) }
  }
}

/// Calls `body` with a vector and a result of the same length if they are not empty.
func withVectors<S, T, U: AccelerateBuffer<S>, V: AccelerateMutableBuffer<T>>(
  _ vector: U, _ result: inout V,
  _ body: (UnsafePointer<S>, UnsafeMutablePointer<T>, Int) -> Void
) {
  precondition(vector.count == result.count, "The vectors have different lengths.")
  withVector(vector) { input, count in
    withResult(&result) { output, _ in body(input, output, count) }
  }
}

/// Calls `body` with two vectors and a result of the same length if they are not empty.
func withVectors<
  R, S, T, U: AccelerateBuffer<R>, V: AccelerateBuffer<S>, W: AccelerateMutableBuffer<T>
>(
  _ first: U, _ second: V, _ result: inout W,
  _ body: (UnsafePointer<R>, UnsafePointer<S>, UnsafeMutablePointer<T>, Int) -> Void
) {
  precondition(first.count == second.count, "The vectors have different lengths.")
  withVector(second) { b, _ in
    withVectors(first, &result) { a, output, count in body(a, b, output, count) }
  }
}

/// Calls `body` with three vectors and a result of the same length if they are not empty.
func withVectors<
  T, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>, W: AccelerateBuffer<T>,
  X: AccelerateMutableBuffer<T>
>(
  _ first: U, _ second: V, _ third: W, _ result: inout X,
  _ body: (UnsafePointer<T>, UnsafePointer<T>, UnsafePointer<T>, UnsafeMutablePointer<T>, Int) ->
    Void
) {
  precondition(first.count == third.count, "The vectors have different lengths.")
  withVector(third) { c, _ in
    withVectors(first, second, &result) { a, b, output, count in body(a, b, c, output, count) }
  }
}
