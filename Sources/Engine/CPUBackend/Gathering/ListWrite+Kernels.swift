import Backends
import CKernels
import Glibc
import Graph
import Operators

extension ListWriteOperator: KernelProvider {
  /// The candidate copies bytes, for elements of any type. It may write the list in place.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native list write", elements: .all) { request in
        let element: ElementType = request.outputs[0].element
        guard request.outputs[0].shape.count > 0, request.inputs[0].shape.rank > 0 else {
          return nil
        }
        let list = TensorDescriptor(request.inputs[0].shape, element)
        let indices = TensorDescriptor(request.inputs[1].shape, request.inputs[1].storage)
        let values = TensorDescriptor(request.inputs[2].shape, element)
        let output = TensorDescriptor(request.outputs[0].shape, element)
        guard indices.storage == .int32 || indices.storage == .float32 else { return nil }
        let writes = try ListIndices(list.shape, indices.shape, values.shape)
        let isInteger: Bool = indices.storage == .int32
        let (length, size) = (output.shape[0], writes.element.count * element.byteCount)
        let (listBytes, outputBytes) = (list.byteCount, output.byteCount)
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms, and the index was checked.
          let target: UnsafeMutableRawPointer = memory.outputs[0]
          if memory.inputs[0] != target, listBytes > 0 {
            memcpy(target, memory.inputs[0], listBytes)
          }
          if outputBytes > listBytes { memset(target + listBytes, 0, outputBytes - listBytes) }
          for position in 0..<writes.count {
            let index: Int =
              isInteger
              ? Int(memory.inputs[1].load(fromByteOffset: position * 4, as: Int32.self))
              : ReferenceTensor.integer(
                Double(memory.inputs[1].load(fromByteOffset: position * 4, as: Float.self)))
            try ListIndices.require(index, of: length)
            memcpy(target + index * size, memory.inputs[2] + position * size, size)
          }
        }
        return Kernel(
          step, inputs: [list, indices, values], outputs: [output], inPlaceInput: 0)
      }
    ]
  }
}
