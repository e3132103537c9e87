/// A type of integers that vDSP converts.
public protocol vDSP_IntegerConvertable: FixedWidthInteger, Sendable {
  /// The C functions for this type.
  static var _conversions: IntegerConversions<Self> { get }
}

/// The C functions that convert between one type of integers and floating-point numbers.
public struct IntegerConversions<I>: Sendable {
  typealias FromInteger<T> =
    @Sendable (UnsafePointer<I>, Int, UnsafeMutablePointer<T>, Int, UInt) -> Void
  typealias ToInteger<T> =
    @Sendable (UnsafePointer<T>, Int, UnsafeMutablePointer<I>, Int, UInt) -> Void

  let toFloat: FromInteger<Float>
  let toDouble: FromInteger<Double>
  let truncatedFloat: ToInteger<Float>
  let truncatedDouble: ToInteger<Double>
  let roundedFloat: ToInteger<Float>
  let roundedDouble: ToInteger<Double>
}

extension Int8: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<Int8>(
    toFloat: vDSP_vflt8, toDouble: vDSP_vflt8D, truncatedFloat: vDSP_vfix8,
    truncatedDouble: vDSP_vfix8D, roundedFloat: vDSP_vfixr8, roundedDouble: vDSP_vfixr8D)
}

extension Int16: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<Int16>(
    toFloat: vDSP_vflt16, toDouble: vDSP_vflt16D, truncatedFloat: vDSP_vfix16,
    truncatedDouble: vDSP_vfix16D, roundedFloat: vDSP_vfixr16, roundedDouble: vDSP_vfixr16D)
}

extension Int32: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<Int32>(
    toFloat: vDSP_vflt32, toDouble: vDSP_vflt32D, truncatedFloat: vDSP_vfix32,
    truncatedDouble: vDSP_vfix32D, roundedFloat: vDSP_vfixr32, roundedDouble: vDSP_vfixr32D)
}

extension UInt8: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<UInt8>(
    toFloat: vDSP_vfltu8, toDouble: vDSP_vfltu8D, truncatedFloat: vDSP_vfixu8,
    truncatedDouble: vDSP_vfixu8D, roundedFloat: vDSP_vfixru8, roundedDouble: vDSP_vfixru8D)
}

extension UInt16: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<UInt16>(
    toFloat: vDSP_vfltu16, toDouble: vDSP_vfltu16D, truncatedFloat: vDSP_vfixu16,
    truncatedDouble: vDSP_vfixu16D, roundedFloat: vDSP_vfixru16, roundedDouble: vDSP_vfixru16D)
}

extension UInt32: vDSP_IntegerConvertable {
  public static let _conversions = IntegerConversions<UInt32>(
    toFloat: vDSP_vfltu32, toDouble: vDSP_vfltu32D, truncatedFloat: vDSP_vfixu32,
    truncatedDouble: vDSP_vfixu32D, roundedFloat: vDSP_vfixru32, roundedDouble: vDSP_vfixru32D)
}
