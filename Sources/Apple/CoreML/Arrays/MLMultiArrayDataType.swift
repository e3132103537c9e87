/// The type of the elements of a multi-array.
///
/// The raw values are Apple's. The upper 16 bits state the kind of number, and the lower 16 bits state the size of a
/// number in bits.
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

  /// Whether this is an integer type.
  var isInteger: Bool { self == .int32 || self == .int8 }

  /// The size of one number in bytes.
  package var byteCount: Int { (rawValue & 0xFFFF) / 8 }

  /// The name of the type for error messages.
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
