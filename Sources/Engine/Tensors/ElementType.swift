/// The type of a tensor's elements: in a graph, in a plan's memory, or in a file.
///
/// All tensors of a NeuralNetwork graph are `float32`. A plan may store such a tensor as `bfloat16` if ``Precision``
/// allows this. Types smaller than a byte are only for stored constants.
public enum ElementType: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case float32
  case bfloat16
  case float16
  case float64
  case int8
  case int32
  case int64
  case bool
  case uint8
  case int16
  case uint16
  case uint32
  case uint64
  case int4
  case uint1
  case uint2
  case uint3
  case uint4
  case uint6

  /// The name of the type. The names are written out, because reflection would add a millisecond to every program's
  /// start.
  public var description: String {
    switch self {
    case .float32: "float32"
    case .bfloat16: "bfloat16"
    case .float16: "float16"
    case .float64: "float64"
    case .int8: "int8"
    case .int32: "int32"
    case .int64: "int64"
    case .bool: "bool"
    case .uint8: "uint8"
    case .int16: "int16"
    case .uint16: "uint16"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .int4: "int4"
    case .uint1: "uint1"
    case .uint2: "uint2"
    case .uint3: "uint3"
    case .uint4: "uint4"
    case .uint6: "uint6"
    }
  }

  /// The size of one element in bits.
  public var bitCount: Int {
    switch self {
    case .uint1: return 1
    case .uint2: return 2
    case .uint3: return 3
    case .int4, .uint4: return 4
    case .uint6: return 6
    case .bool, .int8, .uint8: return 8
    case .bfloat16, .float16, .int16, .uint16: return 16
    case .float32, .int32, .uint32: return 32
    case .float64, .int64, .uint64: return 64
    }
  }

  /// Whether elements are smaller than a byte. Operators do not compute with such types, which serve only for stored
  /// constants.
  public var isPacked: Bool { bitCount < 8 }

  /// The size of one element in bytes; 1 for types smaller than a byte.
  public var byteCount: Int { max(1, bitCount / 8) }

  /// Returns the size, in bytes, of `count` adjacent elements. Bits of the last byte may remain unused. Saturates at
  /// `Int.max`.
  public func byteCount(of count: Int) -> Int {
    if !isPacked {
      let (bytes, overflow) = count.multipliedReportingOverflow(by: byteCount)
      return overflow ? Int.max : bytes
    }
    let (bits, overflow) = count.multipliedReportingOverflow(by: bitCount)
    return overflow ? Int.max : bits / 8 + (bits % 8 == 0 ? 0 : 1)
  }

  /// Whether this is a floating-point type.
  public var isFloatingPoint: Bool {
    switch self {
    case .float16, .bfloat16, .float32, .float64: return true
    default: return false
    }
  }

  /// Whether this is an integer type or Boolean.
  public var isInteger: Bool { !isFloatingPoint }

  /// The range from the smallest to the largest integer of the type; for `uint64` limited to the range of `Int64`. Nil
  /// for floating-point types.
  public var integerRange: ClosedRange<Int64>? {
    switch self {
    case .float16, .bfloat16, .float32, .float64: return nil
    case .bool, .uint1: return 0...1
    case .uint2: return 0...3
    case .uint3: return 0...7
    case .uint4: return 0...15
    case .uint6: return 0...63
    case .uint8: return 0...255
    case .uint16: return 0...65_535
    case .uint32: return 0...4_294_967_295
    case .uint64: return 0...Int64.max
    case .int4: return -8...7
    case .int8: return -128...127
    case .int16: return -32_768...32_767
    case .int32: return Int64(Int32.min)...Int64(Int32.max)
    case .int64: return Int64.min...Int64.max
    }
  }

  /// Converts a real number to a value of this type. Floating-point types round to the nearest value, ties to even
  /// (IEEE 754). Integer types truncate towards zero and clamp to their range; NaN becomes 0. For Booleans, everything
  /// but 0 becomes 1.
  public func rounded(_ value: Double) -> Double {
    switch self {
    case .float64: return value
    case .float32: return Double(Float(value))
    case .float16: return Double(Float16(value))
    case .bfloat16: return Double(BFloat16.nearest(to: value))
    case .bool: return value == 0 ? 0 : 1
    default: return Double(integer(value))
    }
  }

  /// Converts a real number to an integer of this type. Truncates the number towards zero and clamps it to the range of
  /// the type. NaN becomes 0.
  public func integer(_ value: Double) -> Int64 {
    guard let range = integerRange, !value.isNaN else { return 0 }
    if self == .bool { return value == 0 ? 0 : 1 }
    if value <= Double(range.lowerBound) { return range.lowerBound }
    if value >= Double(range.upperBound) { return range.upperBound }
    return Int64(value)
  }

  /// Converts an integer to this type: keeps the low bits of the integer, so overflow wraps around as in C and NumPy.
  /// For Booleans, everything but 0 becomes 1.
  public func wrapped(_ value: Int64) -> Int64 {
    switch self {
    case .bool: return value == 0 ? 0 : 1
    case .int8: return Int64(Int8(truncatingIfNeeded: value))
    case .uint8: return Int64(UInt8(truncatingIfNeeded: value))
    case .int16: return Int64(Int16(truncatingIfNeeded: value))
    case .uint16: return Int64(UInt16(truncatingIfNeeded: value))
    case .int32: return Int64(Int32(truncatingIfNeeded: value))
    case .uint32: return Int64(UInt32(truncatingIfNeeded: value))
    default: return value
    }
  }
}
