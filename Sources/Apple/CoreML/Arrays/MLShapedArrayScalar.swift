/// An element type of shaped arrays: `Double`, `Float`, `Float16`, `Int32` or `Int8`.
public protocol MLShapedArrayScalar: Sendable, Hashable {
  /// The data type of a multi-array with elements of this type.
  static var multiArrayDataType: MLMultiArrayDataType { get }

  /// Zero.
  static var _zero: Self { get }

  /// One.
  static var _one: Self { get }

  /// The value as a `Double`. A `Double` represents every value of the element types exactly.
  var _double: Double { get }

  /// Converts a number to the nearest value of this type. Conversion to an integer type truncates the number towards
  /// zero and clamps it to the type's range.
  static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Self
}

extension Double: MLShapedArrayScalar {
  /// `.double`.
  public static var multiArrayDataType: MLMultiArrayDataType { .double }
  public static var _zero: Double { 0 }
  public static var _one: Double { 1 }
  public var _double: Double { self }
  public static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Double {
    other._double
  }
}

extension Float: MLShapedArrayScalar {
  /// `.float32`.
  public static var multiArrayDataType: MLMultiArrayDataType { .float32 }
  public static var _zero: Float { 0 }
  public static var _one: Float { 1 }
  public var _double: Double { Double(self) }
  public static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Float {
    Float(other._double)
  }
}

extension Float16: MLShapedArrayScalar {
  /// `.float16`.
  public static var multiArrayDataType: MLMultiArrayDataType { .float16 }
  public static var _zero: Float16 { 0 }
  public static var _one: Float16 { 1 }
  public var _double: Double { Double(self) }
  public static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Float16 {
    Float16(other._double)
  }
}

extension Int32: MLShapedArrayScalar {
  /// `.int32`.
  public static var multiArrayDataType: MLMultiArrayDataType { .int32 }
  public static var _zero: Int32 { 0 }
  public static var _one: Int32 { 1 }
  public var _double: Double { Double(self) }
  public static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Int32 {
    clamped(other._double)
  }
}

extension Int8: MLShapedArrayScalar {
  /// `.int8`.
  public static var multiArrayDataType: MLMultiArrayDataType { .int8 }
  public static var _zero: Int8 { 0 }
  public static var _one: Int8 { 1 }
  public var _double: Double { Double(self) }
  public static func _converted<Other: MLShapedArrayScalar>(from other: Other) -> Int8 {
    clamped(other._double)
  }
}

private func clamped<Value: FixedWidthInteger>(_ value: Double) -> Value {
  if value.isNaN { return 0 }
  if value <= Double(Value.min) { return Value.min }
  if value >= Double(Value.max) { return Value.max }
  return Value(value)
}
