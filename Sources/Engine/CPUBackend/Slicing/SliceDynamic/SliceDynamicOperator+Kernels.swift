import Backends
import CKernels
import Graph
import Operators

extension SliceDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native slice", elements: .fourBytes) { request in
        var input: TensorDescriptor = request.followed()
        input.layout = .dense
        let bounds: [TensorDescriptor] = request.inputs.indices.dropFirst().map(request.dense)
        let output = TensorDescriptor(request.outputs[0].shape, input.storage)
        let rank: Int = input.shape.rank
        guard rank <= StridedCopy.maximumRank, input.shape.count > 0, output.shape.count > 0,
          bounds.allSatisfy({ $0.shape.count == rank })
        else { return nil }
        return Kernel(
          DynamicSliceStep(self, input, output, bounds: bounds.map { PlaceNumbers($0) }),
          inputs: [input] + bounds,
          outputs: [output])
      }
    ]
  }
}

/// Copies the ranges that the inputs name when it runs; the output's shape is known before.
private final class DynamicSliceStep: Step, @unchecked Sendable {
  private let slice: SliceDynamicOperator
  private let input: Shape
  private let strides: [Int]
  private let output: Shape
  private let targetStrides: [Int64]
  private let bounds: [PlaceNumbers]
  private let type: ck_type
  private let elementBytes: Int

  init(
    _ slice: SliceDynamicOperator, _ input: TensorDescriptor, _ output: TensorDescriptor,
    bounds: [PlaceNumbers]
  ) {
    self.slice = slice
    self.input = input.shape
    self.output = output.shape
    self.bounds = bounds
    strides = input.shape.strides
    targetStrides = output.shape.strides.map(Int64.init)
    type = input.kernelType
    elementBytes = input.storage.byteCount
  }

  override func run(_ memory: StepMemory) throws {
    // A handful of numbers: the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * input.rank) { numbers in
      numbers.initialize(repeating: 0)
      guard let extents = numbers.baseAddress else { return }
      let sourceStrides: UnsafeMutablePointer<Int64> = extents + input.rank
      var offset = 0
      var kept = 0
      for axis in 0..<input.rank {
        let taken: AxisSlice = slice.slice(axis, given: bounds.count) { position in
          // Safe: the planner gives memory of the forms that the kernel asked for.
          bounds[position].whole(memory.inputs[position + 1], axis)
        }
        guard taken.stride != 0 else { throw AxisSlice.withoutStride(axis) }
        let range: SliceRange = try taken.range(input[axis], axis: axis)
        offset += range.first * strides[axis]
        guard !taken.isSqueezed else { continue }
        precondition(range.count == output[kept], "a slice was planned for other bounds")
        extents[kept] = Int64(range.count)
        sourceStrides[kept] = Int64(taken.stride * strides[axis])
        kept += 1
      }
      // Safe: the ranges lie inside the axes.
      requireNative(
        ck_copy(
          Int32(kept), extents, memory.inputs[0] + offset * elementBytes, type, sourceStrides,
          memory.outputs[0], type, targetStrides))
    }
  }
}
