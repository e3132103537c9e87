import Backends
import Graph
import Operators

extension SliceBySizeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native slice", elements: .fourBytes) { request in
        var input: TensorDescriptor = request.followed()
        input.layout = .dense
        let index: TensorDescriptor = request.dense(1)
        let numbers = IndexValues(index)
        let output = TensorDescriptor(request.outputs[0].shape, input.storage)
        guard input.shape.count > 0, index.shape.count == 1 else { return nil }
        let shape: Shape = input.shape
        let axis: Int = try shape.axis(axis)
        let copy = StridedCopy(
          Move(extents: output.shape.dimensions), source: input, target: output)
        guard copy.extents.count <= StridedCopy.maximumRank else { return nil }
        let rowBytes: Int = shape.product(axis + 1..<shape.rank) * input.storage.byteCount
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms, and the range is inside the axis.
          let begin: Int = try begin(numbers.integer(memory.inputs[1], 0), shape, axis: axis)
          copy.run(memory.inputs[0] + begin * rowBytes, to: memory.outputs[0])
        }
        return Kernel(step, inputs: [input, index], outputs: [output])
      }
    ]
  }
}
