import Graph
import CKernels

extension ElementType {
  /// The type's name in CKernels.
  public var kernelType: ck_type? {
    switch self {
    case .float32: return CK_F32
    case .bfloat16: return CK_BF16
    case .float16: return CK_F16
    case .float64: return CK_F64
    case .int8: return CK_S8
    case .int32: return CK_S32
    case .int64: return CK_S64
    case .bool, .uint8: return CK_U8
    default: return nil
    }
  }
}
