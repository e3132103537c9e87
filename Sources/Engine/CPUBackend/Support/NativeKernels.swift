import Operators
import CKernels
import Graph

extension ElementType {
  /// The native kernels' name of the type; nil where they have none.
  package var native: ck_type? {
    switch self {
    case .float32: return CK_F32
    case .bfloat16: return CK_BF16
    case .float16: return CK_F16
    default: return nil
    }
  }
}

/// Checks what a native kernel returned; it refuses only what our own code should not have asked.
package func requireNative(_ status: Int32) {
  precondition(status == 0, "a native kernel refused its arguments")
}
