import Backends
import Operators
import CKernels
import Graph

extension ElementType {
  /// The type's name in CKernels. Nil for types that the kernels cannot convert to float32 while they read.
  package var native: ck_type? {
    self == .float32 || self == .bfloat16 || self == .float16 ? kernelType : nil
  }
}

/// Checks the status of a native kernel. A failure is an error in our own code.
package func requireNative(_ status: Int32) {
  precondition(status == 0, "a native kernel rejected its arguments")
}
