import Tensors

/// The element types of TensorFlow Lite's tensors, by their numbers in the file.
///
/// **Source:** `TensorType` in schema.fbs.
package enum LiteElement: Int, Sendable, Hashable {
  case float32, float16, int32, uint8, int64, string, bool, int16, complex64, int8, float64
  case complex128, uint64, resource, variant, uint32, uint16, int4, bfloat16, int2, uint4

  /// How the file keeps the elements; nil for those that nothing here computes with.
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

  /// How the graph holds the elements: truth values and whole numbers of 16 bits or less are exact in `float32`,
  /// whose kernels are the fast ones.
  package var held: ElementType {
    switch self {
    case .int32, .uint32, .int64, .uint64: .int32
    default: .float32
    }
  }

  /// Whether elements are whole numbers.
  package var isWhole: Bool { stored.map { $0.isInteger && self != .bool } ?? false }
}
