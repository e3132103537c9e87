/// The type of the numbers that a multi-array holds.
///
/// Raw values are Apple's: the kind in the upper half, the number of bits in the lower.
public enum MLMultiArrayDataType: Int, Sendable {
  /// 64-bit floating point.
  case double = 0x10040
  /// 32-bit floating point.
  case float32 = 0x10020
  /// 16-bit floating point.
  case float16 = 0x10010
  /// 32-bit signed integers.
  case int32 = 0x20020
  /// 8-bit signed integers.
  case int8 = 0x20008

  /// Another name of ``double``.
  public static var float64: MLMultiArrayDataType { .double }

  /// Another name of ``float32``.
  public static var float: MLMultiArrayDataType { .float32 }

  /// Whether the numbers are whole.
  var isInteger: Bool { self == .int32 || self == .int8 }

  /// The size of one number in bytes.
  var byteCount: Int { (rawValue & 0xFFFF) / 8 }

  /// The name used in error sentences.
  var sentenceName: String {
    switch self {
    case .double: "double"
    case .float32: "float32"
    case .float16: "float16"
    case .int32: "int32"
    case .int8: "int8"
    }
  }
}
