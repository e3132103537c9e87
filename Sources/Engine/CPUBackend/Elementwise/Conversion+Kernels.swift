import Backends
import CKernels
import Graph
import Operators

extension CastOperator: KernelProvider {
  /// Candidates for casts between float32 and int32. A cast to the same type is a view.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("view", elements: .all) { request in
        let isSame: Bool = request.elements.allSatisfy { $0 == request.outputs[0].element }
        return isSame ? .view(of: request, layout: .dense) : nil
      },
      KernelCandidate("native conversion", elements: [.float32, .int32]) { request in
        let types: [ElementType] = [request.elements[0], request.outputs[0].element]
        guard types[0] != types[1] else { return nil }
        let shape: Shape = request.outputs[0].shape
        let count = Int64(shape.count)
        let step = ClosureStep { memory in
          // Safe: both memories hold `count` elements of four bytes each.
          let (source, target) = (memory.inputs[0], memory.outputs[0])
          if types[0] == .float32 {
            ck_float_to_int32(
              count, source.assumingMemoryBound(to: Float.self),
              target.assumingMemoryBound(to: Int32.self))
          } else {
            ck_int32_to_float(
              count, source.assumingMemoryBound(to: Int32.self),
              target.assumingMemoryBound(to: Float.self))
          }
        }
        return Kernel(
          step, inputs: [TensorDescriptor(shape, types[0])],
          outputs: [TensorDescriptor(shape, types[1])], inPlaceInput: 0, readsElementwise: true)
      },
    ]
  }
}
