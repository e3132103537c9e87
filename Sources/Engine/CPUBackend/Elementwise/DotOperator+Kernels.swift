import Backends
import CKernels
import Operators

extension DotOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native dot product") { request in
        let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
        let output = TensorDescriptor(request.outputs[0].shape)
        guard inputs.allSatisfy({ $0.shape.count > 0 }), output.shape.count > 0 else { return nil }
        let extents: [Int64] = output.shape.dimensions.dropLast(3).map(Int64.init)
        guard extents.count <= 16 else { return nil }
        let strides: [[Int64]] = inputs.map { Self.strides(of: $0.shape, rank: extents.count) }
        let channels = Int64(inputs[0].shape[-3])
        let isCosine: Bool = isCosineSimilarity
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms, and the strides stay inside this memory.
          requireNative(
            ck_dot(
              Int32(extents.count), extents, channels, isCosine ? 1 : 0,
              memory.inputs[0].assumingMemoryBound(to: Float.self), strides[0],
              memory.inputs[1].assumingMemoryBound(to: Float.self), strides[1],
              memory.outputs[0].assumingMemoryBound(to: Float.self)))
        }
        return Kernel(step, inputs: inputs, outputs: [output])
      }
    ]
  }

  /// Returns the distances, in elements, between an input's vectors along each axis of the output except the last
  /// three. The distance is 0 along a broadcast axis.
  private static func strides(of input: Shape, rank: Int) -> [Int64] {
    let padded: Shape = input.padded(toRank: rank + 3)
    return zip(padded.dimensions, padded.strides).prefix(rank).map { $0 == 1 ? 0 : Int64($1) }
  }
}
