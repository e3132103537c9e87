import Backends
import CKernels
import Graph
import Operators

extension SliceUpdateOperator: KernelProvider {
  /// The candidate first copies the tensor, unless it takes over the tensor's memory. Then the candidate copies the
  /// update into the slice. Tensors are dense. If the result is exact in the narrower type in which the tensor is in
  /// memory, the result has that type, too.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native slice update", elements: [.float32, .int32]) { request in
        var whole: TensorDescriptor = request.moved(0)
        var update = TensorDescriptor(request.inputs[1].shape, whole.storage)
        if whole.storage == .float16 {
          if request.narrowOutput != .float16 { whole.storage = .float32 }
          update.storage = request.narrowInputs[1] == .float16 ? .float16 : .float32
        }
        let rank: Int = whole.shape.rank
        guard rank <= StridedCopy.maximumRank, whole.shape.count > 0, update.shape.count > 0,
          let bounds = ComputedSlice.forms(request.inputs.dropFirst(2), rank: rank)
        else { return nil }
        let slice = ComputedSlice(
          self.slice, of: whole.shape, making: update.shape, bounds: bounds, firstBound: 2
        ) { [shape = update.shape] in SliceUpdateOperator.misfit(shape, in: $0) }
        let sourceStrides: [Int64] = update.shape.strides.map(Int64.init)
        let converts: Bool = update.storage != whole.storage
        let sourceType: ck_type = converts ? update.kernelType : update.movedType
        let type: ck_type = converts ? whole.kernelType : whole.movedType
        let (size, byteCount) = (whole.storage.byteCount, whole.byteCount)
        let step = ClosureStep { memory in
          let target: UnsafeMutableRawPointer = memory.outputs[0]
          if memory.inputs[0] != target {
            // Safe: both memories hold the whole tensor. Either they are the same memory, or they do not overlap.
            target.copyMemory(from: memory.inputs[0], byteCount: byteCount)
          }
          try slice.withLoops(memory.inputs) { rank, extents, strides, offset in
            // Safe: the ranges are inside the axes.
            requireNative(
              ck_copy(
                rank, extents, memory.inputs[1], sourceType, sourceStrides, target + offset * size,
                type,
                strides))
          }
        }
        return Kernel(
          step, inputs: [whole, update] + bounds, outputs: [whole], inPlaceInput: 0)
      }
    ]
  }
}
