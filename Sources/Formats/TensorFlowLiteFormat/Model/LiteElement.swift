import Tensors

/// The element types of TensorFlow Lite's tensors. The raw value of a case is the type's number in the file.
///
/// **Source:** `TensorType` in schema.fbs.
package enum LiteElement: Int, Sendable, Hashable {
  case float32, float16, int32, uint8, int64, string, bool, int16, complex64, int8, float64
  case complex128, uint64, resource, variant, uint32, uint16, int4, bfloat16, int2, uint4

  /// The type of the elements as the file stores them. Nil for types that this reader does not support.
  package var stored: ElementType? {
    switch self {
    case .float32: .float32
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .float64: .float64
    case .int8: .int8
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .bool: .bool
    case .int4: .int4
    case .uint4: .uint4
    case .string, .complex64, .complex128, .resource, .variant, .int2: nil
    }
  }

  /// The type of the elements in the graph: `int32` for integers of 32 and 64 bits, `float32` for all other types. A
  /// `float32` represents booleans and integers of 16 or fewer bits exactly, and operators on `float32` have the
  /// fastest kernels.
  package var held: ElementType {
    switch self {
    case .int32, .uint32, .int64, .uint64: .int32
    default: .float32
    }
  }

  /// Whether the type is an integer type. Booleans are not integers.
  package var isInteger: Bool { stored.map { $0.isInteger && self != .bool } ?? false }
}
