extension vDSP {
  /// How a number becomes an integer.
  public enum RoundingMode: Sendable {
    case towardZero
    case towardNearestInteger
  }

  /// Converts double to single precision.
  public static func convertElements<
    U: AccelerateBuffer<Double>, V: AccelerateMutableBuffer<Float>
  >(
    of source: U, to destination: inout V
  ) {
    withVectors(source, &destination) { vDSP_vdpsp($0, 1, $1, 1, UInt($2)) }
  }

  /// Converts single to double precision.
  public static func convertElements<
    U: AccelerateBuffer<Float>, V: AccelerateMutableBuffer<Double>
  >(
    of source: U, to destination: inout V
  ) {
    withVectors(source, &destination) { vDSP_vspdp($0, 1, $1, 1, UInt($2)) }
  }

  /// Converts half to single precision.
  public static func convertElements<
    U: AccelerateBuffer<Float16>, V: AccelerateMutableBuffer<Float>
  >(
    of source: U, to destination: inout V
  ) {
    convertHalves(source, &destination) {
      vImageConvert_Planar16FtoPlanarF($0, $1, vImage_Flags(kvImageNoFlags))
    }
  }

  /// Converts single to half precision, rounded to the nearest value.
  public static func convertElements<
    U: AccelerateBuffer<Float>, V: AccelerateMutableBuffer<Float16>
  >(
    of source: U, to destination: inout V
  ) {
    convertHalves(source, &destination) {
      vImageConvert_PlanarFtoPlanar16F($0, $1, vImage_Flags(kvImageNoFlags))
    }
  }

  /// Calls a function of vImage with two vectors as pictures of one row.
  private static func convertHalves<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
    _ source: U, _ destination: inout V,
    _ function: (UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>) -> vImage_Error
  ) {
    precondition(
      source.count == destination.count,
      "The vectors have \(source.count) and \(destination.count) elements, expected equal numbers.")
    source.withUnsafeBufferPointer { from in
      destination.withUnsafeMutableBufferPointer { to in
        guard let first = from.baseAddress, let target = to.baseAddress, !from.isEmpty else {
          return
        }
        // Safe: both pictures have one row of as many numbers as the vectors.
        var (one, other) = (
          vImage_Buffer(
            data: UnsafeMutableRawPointer(mutating: first), height: 1,
            width: vImagePixelCount(from.count),
            rowBytes: from.count * MemoryLayout<U.Element>.stride),
          vImage_Buffer(
            data: UnsafeMutableRawPointer(target), height: 1, width: vImagePixelCount(to.count),
            rowBytes: to.count * MemoryLayout<V.Element>.stride)
        )
        _ = function(&one, &other)
      }
    }
  }

  /// Returns the elements in double precision.
  public static func floatToDouble<U: AccelerateBuffer<Float>>(_ source: U) -> [Double] {
    made(count: source.count) { convertElements(of: source, to: &$0) }
  }

  /// Returns the elements in single precision.
  public static func doubleToFloat<U: AccelerateBuffer<Double>>(_ source: U) -> [Float] {
    made(count: source.count) { convertElements(of: source, to: &$0) }
  }

  /// Converts integers to single precision.
  public static func convertElements<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<I>, V: AccelerateMutableBuffer<Float>
  >(of source: U, to destination: inout V) {
    withVectors(source, &destination) { I._conversions.toFloat($0, 1, $1, 1, UInt($2)) }
  }

  /// Converts integers to double precision.
  public static func convertElements<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<I>, V: AccelerateMutableBuffer<Double>
  >(of source: U, to destination: inout V) {
    withVectors(source, &destination) { I._conversions.toDouble($0, 1, $1, 1, UInt($2)) }
  }

  /// Converts single precision to integers. Numbers outside of the type's range become its bounds, NaN becomes 0.
  public static func convertElements<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<Float>, V: AccelerateMutableBuffer<I>
  >(of source: U, to destination: inout V, rounding: RoundingMode) {
    let conversions = I._conversions
    let function =
      rounding == .towardZero ? conversions.truncatedFloat : conversions.roundedFloat
    withVectors(source, &destination) { function($0, 1, $1, 1, UInt($2)) }
  }

  /// Converts double precision to integers. Numbers outside of the type's range become its bounds, NaN becomes 0.
  public static func convertElements<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<Double>, V: AccelerateMutableBuffer<I>
  >(of source: U, to destination: inout V, rounding: RoundingMode) {
    let conversions = I._conversions
    let function =
      rounding == .towardZero ? conversions.truncatedDouble : conversions.roundedDouble
    withVectors(source, &destination) { function($0, 1, $1, 1, UInt($2)) }
  }

  /// Returns integers in single precision.
  public static func integerToFloatingPoint<I: vDSP_IntegerConvertable, U: AccelerateBuffer<I>>(
    _ vector: U, floatingPointType: Float.Type
  ) -> [Float] {
    made(count: vector.count) { convertElements(of: vector, to: &$0) }
  }

  /// Returns integers in double precision.
  public static func integerToFloatingPoint<I: vDSP_IntegerConvertable, U: AccelerateBuffer<I>>(
    _ vector: U, floatingPointType: Double.Type
  ) -> [Double] {
    made(count: vector.count) { convertElements(of: vector, to: &$0) }
  }

  /// Returns numbers as integers.
  public static func floatingPointToInteger<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<Float>
  >(_ vector: U, integerType: I.Type, rounding: RoundingMode) -> [I] {
    made(count: vector.count) { convertElements(of: vector, to: &$0, rounding: rounding) }
  }

  /// Returns numbers as integers.
  public static func floatingPointToInteger<
    I: vDSP_IntegerConvertable, U: AccelerateBuffer<Double>
  >(_ vector: U, integerType: I.Type, rounding: RoundingMode) -> [I] {
    made(count: vector.count) { convertElements(of: vector, to: &$0, rounding: rounding) }
  }
}
