import Backends
import CKernels
import Graph
import Operators

extension SliceDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native slice", elements: [.float32, .int32]) { request in
        let input: TensorDescriptor = request.moved()
        let output = TensorDescriptor(request.outputs[0].shape, input.storage)
        let rank: Int = input.shape.rank
        guard rank <= StridedCopy.maximumRank, input.shape.count > 0, output.shape.count > 0,
          let bounds = ComputedSlice.forms(request.inputs.dropFirst(), rank: rank)
        else { return nil }
        let slice = ComputedSlice(
          self, of: input.shape, making: output.shape, bounds: bounds, firstBound: 1
        ) { [shape = output.shape] found in
          EngineError(.invalidValue, "the bounds take \(found) elements, expected \(shape).")
        }
        let targetStrides: [Int64] = output.shape.strides.map(Int64.init)
        let (type, size) = (input.movedType, input.storage.byteCount)
        let step = ClosureStep { memory in
          try slice.withLoops(memory.inputs) { rank, extents, strides, offset in
            // Safe: the ranges are inside the axes.
            requireNative(
              ck_copy(
                rank, extents, memory.inputs[0] + offset * size, type, strides, memory.outputs[0],
                type, targetStrides))
          }
        }
        return Kernel(step, inputs: [input] + bounds, outputs: [output])
      }
    ]
  }
}
