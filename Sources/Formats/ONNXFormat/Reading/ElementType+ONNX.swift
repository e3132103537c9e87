import Graph
import ModelFormat
import Operators

extension ElementType {
  /// Finds the element type for a number of `TensorProto.DataType`.
  ///
  /// - Throws: `unsupported` for types that this reader does not support: strings, complex numbers, and floating-point
  ///   numbers of 8 bits or fewer.
  package init(onnx number: Int32) throws {
    guard let type = Self.known[number] else {
      let name: String = Self.unknown[number] ?? "type \(number)"
      throw EngineError(
        .unsupported,
        "tensors of \(name) are not supported, expected integers, booleans or floats of 16 bits and more."
      )
    }
    self = type
  }

  /// The type's number in `TensorProto.DataType`. Nil for a type that ONNX does not have.
  package var onnxNumber: Int32? { Self.known.first { $0.value == self }?.key }

  private static let known: [Int32: ElementType] = [
    1: .float32, 2: .uint8, 3: .int8, 4: .uint16, 5: .int16, 6: .int32, 7: .int64, 9: .bool,
    10: .float16, 11: .float64, 12: .uint32, 13: .uint64, 16: .bfloat16, 21: .uint4, 22: .int4,
    25: .uint2,
  ]

  private static let unknown: [Int32: String] = [
    0: "no type", 8: "strings", 14: "complex numbers", 15: "complex numbers",
    17: "float8e4m3fn numbers", 18: "float8e4m3fnuz numbers", 19: "float8e5m2 numbers",
    20: "float8e5m2fnuz numbers", 23: "float4e2m1 numbers", 24: "float8e8m0 numbers",
    26: "int2 numbers", 27: "float6e2m3 numbers", 28: "float6e3m2 numbers",
  ]

  /// The type in which a graph stores tensors of this ONNX type.
  ///
  /// Integers of 32 bits or more are stored as `int32` and clamped to the range of `int32`. Positions, sizes and
  /// indices fit into this range, and there are kernels for `int32`. Smaller integers and booleans are stored as
  /// `float32`, which represents them exactly. `float16` and `bfloat16` are stored as `float32`, and results are
  /// rounded after every operation. `float64` is stored as `float32`.
  package var heldFromONNX: ElementType {
    switch self {
    case .int32, .int64, .uint32, .uint64: .int32
    default: .float32
    }
  }

  /// How operators treat results that `int32` cannot hold. If the ONNX type of a result is int32, the result keeps the
  /// low bits, as in ONNX Runtime. If it is another type that the graph stores as `int32`, the result is clamped, like
  /// constants and inputs of that type.
  var overflowFromONNX: IntegerOverflow {
    isHeldAsInteger && self != .int32 ? .saturates : .wraps
  }

  /// Whether a graph stores tensors of this type as integers.
  var isHeldAsInteger: Bool { heldFromONNX == .int32 }

  /// Whether this is an integer type, other than bool, whose tensors a graph stores as `float32`.
  var isSmallInteger: Bool { isInteger && self != .bool && heldFromONNX == .float32 }

  /// Whether the graph must round results to this type, because it computes them in `float32`.
  var isRounded: Bool { self == .float16 || self == .bfloat16 }
}

extension ReferenceTensor {
  /// Returns the numbers in the type in which a graph stores them. Integers are clamped to the range of `int32`.
  package func heldFromONNX() -> ReferenceTensor {
    guard element.isHeldAsInteger else { return converted(to: .float32) }
    guard element != .int32 else { return self }
    let range: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)
    let isUnsigned: Bool = element == .uint64
    return ReferenceTensor(
      shape,
      integerValues: integerValues.map { integer in
        // The largest `uint64` numbers are negative when they are stored as `Int64`.
        isUnsigned && integer < 0
          ? range.upperBound : Swift.min(Swift.max(integer, range.lowerBound), range.upperBound)
      }, .int32)
  }
}
