import CKernels
import Operators

extension Pooling3DOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .volumePooling(isMaximum: isMaximum, excludesPadding: excludesPadding) { shape in
        try axes(shape)
      }
    ]
  }
}

extension GlobalPooling3DOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .volumePooling(isMaximum: isMaximum, excludesPadding: false) { shape in
        (2..<5).map { PoolingAxis(whole: shape[$0]) }
      }
    ]
  }
}

extension KernelCandidate {
  /// Returns the candidate for pooling of dense volumes of `float32` or `bfloat16`. Sums are in `Double`.
  fileprivate static func volumePooling(
    isMaximum: Bool, excludesPadding: Bool,
    axes: @escaping @Sendable (Shape) throws -> [PoolingAxis]
  ) -> KernelCandidate {
    KernelCandidate("native 3D pooling") { request in
      var source: TensorDescriptor = request.followed()
      source.layout = .dense
      let shape: Shape = source.shape
      let target = TensorDescriptor(request.outputs[0].shape, source.storage)
      guard shape.count > 0, target.shape.count > 0 else { return nil }
      let axes: [PoolingAxis] = try axes(shape)
      func three(_ value: (PoolingAxis) -> Int) -> (Int64, Int64, Int64) {
        (Int64(value(axes[0])), Int64(value(axes[1])), Int64(value(axes[2])))
      }
      let description = ck_volume_pooling(
        planes: Int64(shape[0] * shape[1]), input: three(\.extent), output: three(\.count),
        kernel: three(\.kernel), stride: three(\.stride), before: three(\.before),
        after: three(\.after), is_maximum: isMaximum ? 1 : 0,
        excludes_padding: excludesPadding ? 1 : 0, type: source.kernelType)
      let threads = Int32(request.threads)
      let step = ClosureStep { memory in
        // Safe: the planner supplies memory in the kernel's forms, and scratch memory for `threads` threads.
        withUnsafePointer(to: description) { description in
          requireNative(
            ck_volume_pooling_run(
              description, memory.inputs[0], memory.outputs[0], memory.scratch, threads))
        }
      }
      return Kernel(
        step, inputs: [source], outputs: [target],
        scratchByteCount: withUnsafePointer(to: description) {
          ck_volume_pooling_scratch_bytes($0, threads)
        })
    }
  }
}
