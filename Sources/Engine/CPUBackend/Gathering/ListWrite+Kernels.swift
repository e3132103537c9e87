import Backends
import CKernels
import Glibc
import Graph
import Operators

extension ListWriteOperator: KernelProvider {
  /// Copies bytes, elements of any type; the list may be written in place.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native list", elements: .all) { request in
        let element: ElementType = request.outputs[0].element
        guard request.outputs[0].shape.count > 0, request.inputs[0].shape.rank > 0 else {
          return nil
        }
        let list = TensorDescriptor(request.inputs[0].shape, element)
        let indices = TensorDescriptor(request.inputs[1].shape, request.inputs[1].storage)
        let values = TensorDescriptor(request.inputs[2].shape, element)
        let output = TensorDescriptor(request.outputs[0].shape, element)
        guard indices.storage == .int32 || indices.storage == .float32 else { return nil }
        let places = try ListPlaces(list.shape, indices.shape, values.shape)
        let isWhole: Bool = indices.storage == .int32
        let (length, size) = (output.shape[0], places.element.count * element.byteCount)
        let (kept, all) = (list.byteCount, output.byteCount)
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of the forms, and indices are checked.
          let target: UnsafeMutableRawPointer = memory.outputs[0]
          if memory.inputs[0] != target, kept > 0 { memcpy(target, memory.inputs[0], kept) }
          if all > kept { memset(target + kept, 0, all - kept) }
          for position in 0..<places.count {
            let index: Int =
              isWhole
              ? Int(memory.inputs[1].load(fromByteOffset: position * 4, as: Int32.self))
              : ReferenceTensor.integer(
                Double(memory.inputs[1].load(fromByteOffset: position * 4, as: Float.self)))
            try ListPlaces.require(index, of: length)
            memcpy(target + index * size, memory.inputs[2] + position * size, size)
          }
        }
        return Kernel(
          step, inputs: [list, indices, values], outputs: [output], inPlaceInput: 0)
      }
    ]
  }
}
