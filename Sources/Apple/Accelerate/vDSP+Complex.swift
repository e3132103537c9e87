extension DSPSplitComplex {
  /// Splits real numbers. The real parts are the numbers with even indices, the imaginary parts those with odd indices.
  ///
  /// The vectors `realParts` and `imaginaryParts` must outlive the value, as in Apple's vDSP.
  public init(
    fromInputArray inputArray: [Float], realParts: inout [Float], imaginaryParts: inout [Float]
  ) {
    // Safe: the caller promises that the vectors outlive the value.
    self = realParts.withUnsafeMutableBufferPointer { real in
      imaginaryParts.withUnsafeMutableBufferPointer { imaginary in
        split(inputArray, real, imaginary)
        return DSPSplitComplex(
          realp: start(of: real), imagp: start(of: imaginary))
      }
    }
  }
}

extension Array where Element == Float {
  /// Joins the parts of a complex vector to `count` real numbers and multiplies them by `scale`.
  public init(fromSplitComplex splitComplex: DSPSplitComplex, scale: Float, count: Int) {
    self = (0..<count).map { index in
      let part = index.isMultiple(of: 2) ? splitComplex.realp : splitComplex.imagp
      return part[index / 2] * scale
    }
  }
}

private func split(
  _ input: [Float], _ real: UnsafeMutableBufferPointer<Float>,
  _ imaginary: UnsafeMutableBufferPointer<Float>
) {
  for index in 0..<min(input.count / 2, real.count, imaginary.count) {
    real[index] = input[2 * index]
    imaginary[index] = input[2 * index + 1]
  }
}

/// The first element.
private func start(of buffer: UnsafeMutableBufferPointer<Float>) -> UnsafeMutablePointer<Float> {
  guard let start = buffer.baseAddress else {
    preconditionFailure("The parts of a complex vector must not be empty.")
  }
  return start
}

extension vDSP {
  /// Writes the magnitudes of complex numbers.
  public static func absolute<V: AccelerateMutableBuffer<Float>>(
    _ vector: DSPSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvabs(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Writes the magnitudes of complex numbers.
  public static func absolute<V: AccelerateMutableBuffer<Double>>(
    _ vector: DSPDoubleSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvabsD(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Writes the squared magnitudes of complex numbers.
  public static func squareMagnitudes<V: AccelerateMutableBuffer<Float>>(
    _ vector: DSPSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvmags(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Writes the squared magnitudes of complex numbers.
  public static func squareMagnitudes<V: AccelerateMutableBuffer<Double>>(
    _ vector: DSPDoubleSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvmagsD(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Writes the angles of complex numbers.
  public static func phase<V: AccelerateMutableBuffer<Float>>(
    _ vector: DSPSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvphas(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Writes the angles of complex numbers.
  public static func phase<V: AccelerateMutableBuffer<Double>>(
    _ vector: DSPDoubleSplitComplex, result: inout V
  ) {
    withUnsafePointer(to: vector) { input in
      withResult(&result) { vDSP_zvphasD(input, 1, $0, 1, UInt($1)) }
    }
  }

  /// Multiplies `count` complex numbers. If `useConjugate` is true, takes the conjugates of the numbers of `vectorA`.
  public static func multiply(
    _ vectorA: DSPSplitComplex, by vectorB: DSPSplitComplex, count: Int, useConjugate: Bool,
    result: inout DSPSplitComplex
  ) {
    var (a, b) = (vectorA, vectorB)
    vDSP_zvmul(&a, 1, &b, 1, &result, 1, UInt(count), useConjugate ? -1 : 1)
  }

  /// Adds `count` complex numbers.
  public static func add(
    _ vectorA: DSPSplitComplex, to vectorB: DSPSplitComplex, count: Int,
    result: inout DSPSplitComplex
  ) {
    var (a, b) = (vectorA, vectorB)
    vDSP_zvadd(&a, 1, &b, 1, &result, 1, UInt(count))
  }

  /// Writes the conjugates of `count` complex numbers.
  public static func conjugate(
    _ vector: DSPSplitComplex, count: Int, result: inout DSPSplitComplex
  ) {
    var input = vector
    vDSP_zvconj(&input, 1, &result, 1, UInt(count))
  }

  /// Splits complex numbers into their parts.
  public static func convert(
    interleavedComplexVector: [DSPComplex],
    toSplitComplexVector splitComplexVector: inout DSPSplitComplex
  ) {
    guard !interleavedComplexVector.isEmpty else { return }
    vDSP_ctoz(
      interleavedComplexVector, 2, &splitComplexVector, 1, UInt(interleavedComplexVector.count))
  }

  /// Joins parts to complex numbers.
  public static func convert(
    splitComplexVector: DSPSplitComplex,
    toInterleavedComplexVector interleavedComplexVector: inout [DSPComplex]
  ) {
    guard !interleavedComplexVector.isEmpty else { return }
    var input = splitComplexVector
    vDSP_ztoc(&input, 1, &interleavedComplexVector, 2, UInt(interleavedComplexVector.count))
  }
}
