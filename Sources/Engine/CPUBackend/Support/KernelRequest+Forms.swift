import Operators
import Backends
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
}
