/// The type of one element of a tensor, as a graph states it or as a plan stores it.
///
/// A NeuralNetwork graph states `float32` throughout; a plan may store the same tensor as
/// `bfloat16` where ``Precision`` allows it.
public enum ElementType: UInt8, Sendable, Hashable, CaseIterable {
  case float32
  case bfloat16
  case float16
  case float64
  case int8
  case int32
  case int64
  case bool

  /// The size of one element in bytes.
  public var byteCount: Int {
    switch self {
    case .bool, .int8: return 1
    case .bfloat16, .float16: return 2
    case .float32, .int32: return 4
    case .float64, .int64: return 8
    }
  }
}
