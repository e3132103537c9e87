import Graph
import ModelFormat
import Operators

extension ElementType {
  /// The element type of a number in `TensorProto.DataType`.
  ///
  /// - Throws: `unsupported` for types that nothing here computes with: strings, complex numbers, floats of 8 bits
  ///   and less.
  package init(onnx number: Int32) throws {
    guard let type = Self.known[number] else {
      let name: String = Self.unknown[number] ?? "type \(number)"
      throw EngineError(
        .unsupported,
        "tensors of \(name) are not supported, expected numbers of 16 bits and more, whole numbers or truth values."
      )
    }
    self = type
  }

  /// The number in `TensorProto.DataType`; nil for types that ONNX does not have.
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

  /// The type in which a graph holds what ONNX writes with this one.
  ///
  /// Whole numbers of 32 bits and more are held as `int32`: positions, sizes and indices fit, and kernels exist for
  /// them; what does not fit is kept to the range. Smaller ones and truth values are exact in `float32`. `float16`
  /// and `bfloat16` are computed as `float32` and rounded after every operation; `float64` is computed as `float32`.
  package var heldFromONNX: ElementType {
    switch self {
    case .int32, .int64, .uint32, .uint64: .int32
    default: .float32
    }
  }

  /// What becomes of results that `int32` cannot hold: of int32 the low bits are kept, as ONNX Runtime does, and
  /// numbers of other types are kept to the range, as their constants and inputs are.
  var overflowFromONNX: IntegerOverflow {
    isHeldWhole && self != .int32 ? .saturates : .wraps
  }

  /// Whether a graph holds it as whole numbers.
  var isHeldWhole: Bool { heldFromONNX == .int32 }

  /// Whether it is a type of whole numbers that is held as `float32`, truth values aside.
  var isSmallWhole: Bool { isInteger && self != .bool && heldFromONNX == .float32 }

  /// Whether results must be rounded to it.
  var isRounded: Bool { self == .float16 || self == .bfloat16 }
}

extension ReferenceTensor {
  /// Numbers of a type that ONNX writes as a graph holds them: what `int32` cannot hold is kept to its range.
  package func heldFromONNX() -> ReferenceTensor {
    guard element.isHeldWhole else { return converted(to: .float32) }
    guard element != .int32 else { return self }
    let range: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)
    let isUnsigned: Bool = element == .uint64
    return ReferenceTensor(
      shape,
      wholes: wholes.map { whole in
        // Of `uint64` the largest numbers are held as negative ones.
        isUnsigned && whole < 0
          ? range.upperBound : Swift.min(Swift.max(whole, range.lowerBound), range.upperBound)
      }, .int32)
  }
}
