import Backends
import Operators
import CKernels
import Graph

extension ElementType {
  /// The native kernels' name of the type, for those that they compute with in float32.
  package var native: ck_type? {
    self == .float32 || self == .bfloat16 || self == .float16 ? kernelType : nil
  }
}

/// Checks what a native kernel returned; it refuses only what our own code should not have asked.
package func requireNative(_ status: Int32) {
  precondition(status == 0, "a native kernel refused its arguments")
}
