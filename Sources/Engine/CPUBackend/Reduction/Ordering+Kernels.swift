import Backends
import CKernels
import Operators

extension ArgSortOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.ordering("native sort", axis: axis, smallestFirst: !isDescending)]
  }
}

extension TopKOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.ordering("native top-k", axis: axis, smallestFirst: isBottom)]
  }
}

extension ck_vectors {
  /// Describes the vectors of a shape along an axis.
  init(_ shape: Shape, axis: Int) {
    self.init(
      outer: Int64(shape.product(0..<axis)), extent: Int64(shape[axis]),
      inner: Int64(shape.product(axis + 1..<shape.rank)))
  }
}

extension KernelCandidate {
  /// Returns the candidate that outputs the first values in sorted order along an axis, and the indices of these
  /// values. If the operator has only one output, the candidate outputs the indices alone.
  ///
  /// The candidate reads dense memory of `float32`, `bfloat16` or int32. Indices are `float32`, or int32 if the values
  /// are int32. For each thread, the scratch memory holds two vectors of keys and, if the elements of a vector are not
  /// contiguous, 16 vectors of values.
  fileprivate static func ordering(_ name: String, axis: Int, smallestFirst: Bool)
    -> KernelCandidate
  {
    KernelCandidate(name, elements: .fourBytes) { request in
      var source: TensorDescriptor = request.followed()
      source.layout = .dense
      let axis: Int = try source.shape.resolvedAxes([axis])[0]
      let indexShape: Shape = request.outputs[request.outputs.count - 1].shape
      guard source.shape.count > 0, indexShape.count > 0, source.shape.isMeasurable else {
        return nil
      }
      let vectors = ck_vectors(source.shape, axis: axis)
      let count = Int64(indexShape[axis])
      let type: ck_type = source.kernelType
      let givesValues: Bool = request.outputs.count == 2
      let threads = Int32(min(request.threads, source.shape.count / source.shape[axis]))
      let step = ClosureStep { memory in
        // Safe: the planner supplies memory in the kernel's forms, and scratch memory for `threads` threads.
        withUnsafePointer(to: vectors) { vectors in
          requireNative(
            ck_top_k(
              vectors, type, count, smallestFirst ? 1 : 0, memory.inputs[0],
              givesValues ? memory.outputs[0] : nil, memory.outputs[givesValues ? 1 : 0],
              memory.scratch, threads))
        }
      }
      let element: ElementType = source.storage == .int32 ? .int32 : .float32
      var outputs: [TensorDescriptor] = [TensorDescriptor(indexShape, element)]
      if givesValues { outputs.insert(TensorDescriptor(indexShape, source.storage), at: 0) }
      return Kernel(
        step, inputs: [source] + request.inputs.dropFirst(), outputs: outputs,
        scratchByteCount: withUnsafePointer(to: vectors) { ck_top_k_scratch_bytes($0, threads) })
    }
  }
}
