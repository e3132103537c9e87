import Operators
import Backends
import CKernels
import Graph

extension KernelRequest {
  /// The form in which a kernel that takes any layout reads an input: as its producer keeps it,
  /// `float32` unless both the producer and the plan chose `bfloat16`.
  package func followed(_ index: Int = 0) -> TensorDescriptor {
    let input: TensorDescriptor = inputs[index]
    let keeps: Bool = precision == .bfloat16 && input.storage == .bfloat16
    let layout: Layout = input.shape.rank >= 3 ? input.layout : .dense
    return TensorDescriptor(input.shape, keeps ? .bfloat16 : .float32, layout)
  }

  /// The dense form in which a kernel moves elements of an input: whole numbers of 32 bits as they are,
  /// everything else as ``followed(_:)`` says.
  package func moved(_ index: Int = 0) -> TensorDescriptor {
    if inputs[index].storage == .int32 { return TensorDescriptor(inputs[index].shape, .int32) }
    var form: TensorDescriptor = followed(index)
    form.layout = .dense
    return form
  }
}

extension TensorDescriptor {
  /// The native kernels' name for elements that are moved bit by bit: that of the type of their size.
  package var movedType: ck_type { storage.byteCount == 2 ? CK_BF16 : CK_F32 }
}
