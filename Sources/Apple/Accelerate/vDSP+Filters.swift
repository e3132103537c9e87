extension vDSP {
  /// Returns the correlation with a kernel: r[n] = Σ v[n + p] k[p]. The result has `kernel.count - 1` elements fewer
  /// than the vector.
  public static func correlate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vector: U, withKernel kernel: V) -> [T] {
    made(count: max(vector.count - kernel.count + 1, 0)) {
      correlate(vector, withKernel: kernel, result: &$0)
    }
  }

  /// Writes the correlation with a kernel to `result`, which has `kernel.count - 1` elements fewer than the vector.
  public static func correlate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(_ vector: U, withKernel kernel: V, result: inout R) {
    filter(vector, kernel, isReversed: false, &result)
  }

  /// Returns the convolution with a kernel: r[n] = Σ v[n + p] k[count - 1 - p].
  public static func convolve<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vector: U, withKernel kernel: V) -> [T] {
    made(count: max(vector.count - kernel.count + 1, 0)) {
      convolve(vector, withKernel: kernel, result: &$0)
    }
  }

  /// Writes the convolution with a kernel to `result`, which has `kernel.count - 1` elements fewer than the vector.
  public static func convolve<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(_ vector: U, withKernel kernel: V, result: inout R) {
    filter(vector, kernel, isReversed: true, &result)
  }

  /// Returns the sums of `windowLength` successive elements.
  public static func slidingWindowSum<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, usingWindowLength windowLength: Int
  ) -> [T] {
    made(count: max(vector.count - windowLength + 1, 0)) {
      slidingWindowSum(vector, usingWindowLength: windowLength, result: &$0)
    }
  }

  /// Writes the sums of `windowLength` successive elements to `result`.
  public static func slidingWindowSum<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, usingWindowLength windowLength: Int, result: inout R) {
    precondition(
      windowLength > 0 && vector.count >= result.count + windowLength - 1,
      "The vector is too short for the result.")
    withVector(vector) { input, _ in
      withResult(&result) {
        T._functions.vswsum(input, 1, $0, 1, UInt($1), UInt(windowLength))
      }
    }
  }

  /// Returns every `decimationFactor`-th element of the correlation with a filter.
  public static func downsample<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ source: U, decimationFactor: Int, filter: V) -> [T] {
    let count =
      source.count < filter.count
      ? 0 : (source.count - filter.count) / decimationFactor + 1
    return made(count: count) {
      downsample(source, decimationFactor: decimationFactor, filter: filter, result: &$0)
    }
  }

  /// Writes every `decimationFactor`-th element of the correlation with a filter to `result`.
  public static func downsample<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(_ source: U, decimationFactor: Int, filter: V, result: inout R) {
    precondition(
      result.count == 0
        || source.count >= (result.count - 1) * decimationFactor + filter.count,
      "The vector is too short for the result.")
    withVector(source) { input, _ in
      withVector(filter) { weights, taps in
        withResult(&result) {
          T._functions.desamp(input, decimationFactor, weights, $0, UInt($1), UInt(taps))
        }
      }
    }
  }

  /// Returns `vector[indices[n] - 1]`: the indices start at 1.
  public static func gather<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, indices: some AccelerateBuffer<UInt>
  ) -> [T] {
    made(count: indices.count) { gather(vector, indices: indices, result: &$0) }
  }

  /// Writes `vector[indices[n] - 1]` to `result`: the indices start at 1.
  public static func gather<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, indices: some AccelerateBuffer<UInt>, result: inout R) {
    withVectors(indices, &result) { indices, output, count in
      withVector(vector) { input, length in
        precondition(
          (0..<count).allSatisfy { (1...UInt(length)).contains(indices[$0]) },
          "An index is outside of the vector.")
        T._functions.vgathr(input, indices, 1, output, 1, UInt(count))
      }
    }
  }

  /// Returns the elements for which the gating vector is not 0.
  public static func compress<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vector: U, gatingVector: V, nonZeroGatingCount: Int?) -> [T] {
    precondition(vector.count == gatingVector.count, "The vectors have different lengths.")
    var result = [T]()
    vector.withUnsafeBufferPointer { elements in
      gatingVector.withUnsafeBufferPointer { gates in
        result = zip(elements, gates).compactMap { $1 == 0 ? nil : $0 }
      }
    }
    return nonZeroGatingCount.map { Array(result.prefix($0)) } ?? result
  }

  /// Returns `a + weight · (b - a)`.
  public static func linearInterpolate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(_ vectorA: U, _ vectorB: V, using interpolationConstant: T) -> [T] {
    made(count: vectorA.count) {
      linearInterpolate(vectorA, vectorB, using: interpolationConstant, result: &$0)
    }
  }

  /// Writes `a + weight · (b - a)` to `result`.
  public static func linearInterpolate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(_ vectorA: U, _ vectorB: V, using interpolationConstant: T, result: inout R) {
    withVectors(vectorA, vectorB, &result) { a, b, output, count in
      withUnsafePointer(to: interpolationConstant) {
        T._functions.vintb(a, 1, b, 1, $0, output, 1, UInt(count))
      }
    }
  }

  /// Interpolates between the elements of a vector. Position 0 is the first element.
  public static func linearInterpolate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(elementsOf vector: U, using positions: V) -> [T] {
    made(count: positions.count) {
      linearInterpolate(elementsOf: vector, using: positions, result: &$0)
    }
  }

  /// Interpolates between the elements of a vector, and writes to `result`. Position 0 is the first element.
  public static func linearInterpolate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(elementsOf vector: U, using positions: V, result: inout R) {
    withVectors(positions, &result) { positions, output, count in
      withVector(vector) {
        T._functions.vlint($0, positions, 1, output, 1, UInt(count), UInt($1))
      }
    }
  }

  // Safe: the lengths are checked before the function reads.

  private static func filter<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(_ vector: U, _ kernel: V, isReversed: Bool, _ result: inout R) {
    precondition(
      vector.count >= result.count + kernel.count - 1, "The vector is too short for the result.")
    withVector(vector) { input, _ in
      withVector(kernel) { weights, taps in
        let (first, step) = isReversed ? (weights + (taps - 1), -1) : (weights, 1)
        withResult(&result) {
          T._functions.conv(input, 1, first, step, $0, 1, UInt($1), UInt(taps))
        }
      }
    }
  }
}
