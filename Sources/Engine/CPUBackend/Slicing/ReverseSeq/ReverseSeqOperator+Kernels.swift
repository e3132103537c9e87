import Backends
import CKernels
import Graph
import Operators

extension ReverseSeqOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native sequence reversal", elements: .fourBytes) { request in
        var input: TensorDescriptor = request.followed()
        input.layout = .dense
        let lengths: TensorDescriptor = request.dense(1)
        let numbers = IndexValues(lengths)
        let shape: Shape = input.shape
        guard shape.count > 0 else { return nil }
        let (batch, sequence) = try axes(shape, lengths.shape)
        let (first, second) = (min(batch, sequence), max(batch, sequence))
        let description = ck_sequences(
          outer: Int64(shape.product(0..<first)), first: Int64(shape[first]),
          middle: Int64(shape.product(first + 1..<second)), second: Int64(shape[second]),
          inner: Int64(shape.product(second + 1..<shape.rank)),
          batch_is_first: batch < sequence ? 1 : 0)
        let type: ck_type = input.kernelType
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms.
          let given: ck_numbers = numbers.native(memory.inputs[1])
          let bad: Int64 = withUnsafePointer(to: description) {
            ck_reverse_sequences($0, type, memory.inputs[0], given, memory.outputs[0])
          }
          guard bad >= 0 else { return }
          throw Self.badLength(numbers.integer(memory.inputs[1], Int(bad)), shape[sequence])
        }
        return Kernel(step, inputs: [input, lengths], outputs: [input])
      }
    ]
  }
}
