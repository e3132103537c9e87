/// The names that a program's text uses for opsets and element types.
enum MILTextNames {
  /// Returns the name of an opset in the text, such as `ios17` for `CoreML7`. Returns unknown names unchanged.
  static func operationSet(message: String) -> String {
    sets.first { $0.message == message }?.text ?? message
  }

  /// Returns the name of an opset in messages, such as `CoreML7` for `ios17`. Returns unknown names unchanged.
  static func operationSet(text: String) -> String {
    sets.first { $0.text == text }?.message ?? text
  }

  private static let sets: [(message: String, text: String)] = [
    ("CoreML5", "ios15"), ("CoreML6", "ios16"), ("CoreML7", "ios17"), ("CoreML8", "ios18"),
    ("CoreML9", "ios26"),
  ]

  /// Returns the specification version that introduced an opset. `operationSet` is the opset's name in messages.
  static func specificationVersion(of operationSet: String) -> Int32? {
    sets.firstIndex { $0.message == operationSet }.map { Int32($0) + 6 }
  }

  /// The text for a type that the program does not state. Apple's compiler writes no such program.
  static let unknownType = "unknown"

  static let elementTypes: [(text: String, type: Spec.MILSpec.DataType)] = [
    ("bool", .bool), ("string", .string),
    ("fp8e4m3fn", .float8e4m3fn), ("fp8e5m2", .float8e5m2), ("bf16", .bfloat16),
    ("fp16", .float16), ("fp32", .float32), ("fp64", .float64),
    ("int4", .int4), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64),
    ("uint1", .uint1), ("uint2", .uint2), ("uint3", .uint3), ("uint4", .uint4), ("uint6", .uint6),
    ("uint8", .uint8), ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64),
  ]
}

extension Spec.MILSpec.DataType {
  /// The element type's name in a program's text, such as `fp16`.
  var textName: String {
    MILTextNames.elementTypes.first { $0.type == self }?.text ?? "type\(rawValue)"
  }

  init?(textName: String) {
    guard let found = MILTextNames.elementTypes.first(where: { $0.text == textName }) else {
      return nil
    }
    self = found.type
  }

  /// The width in bits of an integer type, and whether the type is signed. Nil for other types.
  var integerValue: (bits: Int, isSigned: Bool)? {
    switch self {
    case .int4: (4, true)
    case .int8: (8, true)
    case .int16: (16, true)
    case .int32: (32, true)
    case .int64: (64, true)
    case .uint1: (1, false)
    case .uint2: (2, false)
    case .uint3: (3, false)
    case .uint4: (4, false)
    case .uint6: (6, false)
    case .uint8: (8, false)
    case .uint16: (16, false)
    case .uint32: (32, false)
    case .uint64: (64, false)
    default: nil
    }
  }

  /// The width of an element in `TensorValue.bytes`, in bits. Zero for strings and unknown types.
  var bitWidth: Int {
    if let integerValue { return integerValue.bits }
    return switch self {
    case .bool, .float8e4m3fn, .float8e5m2: 8
    case .float16, .bfloat16: 16
    case .float32: 32
    case .float64: 64
    default: 0
    }
  }
}

extension Spec.MILSpec.Dimension {
  /// The dimension's length. Nil if the length is unknown.
  var length: UInt64? {
    guard case .constant(let constant)? = dimension else { return nil }
    return constant.size
  }

  static func known(_ size: UInt64) -> Self {
    making { $0.dimension = .constant(.making { $0.size = size }) }
  }

  static func unknown(isVariadic: Bool = false) -> Self {
    making { $0.dimension = .unknown(.making { $0.variadic = isVariadic }) }
  }
}
