import Backends
import CKernels
import Operators

extension ArgSortOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.ordering("native sorting", axis: axis, smallestFirst: !isDescending)]
  }
}

extension TopKOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.ordering("native selection", axis: axis, smallestFirst: isBottom)]
  }
}

extension ck_lines {
  /// The lines of a shape along an axis.
  init(_ shape: Shape, axis: Int) {
    self.init(
      outer: Int64(shape.product(0..<axis)), extent: Int64(shape[axis]),
      inner: Int64(shape.product(axis + 1..<shape.rank)))
  }
}

extension KernelCandidate {
  /// The first values in order along an axis, or with one output their places alone.
  ///
  /// Reads dense memory of `float32`, `bfloat16` or int32; places are `float32`, of int32 such themselves. Scratch memory holds two lines of keys a thread, and
  /// where lines lie column by column 16 of values.
  fileprivate static func ordering(_ name: String, axis: Int, smallestFirst: Bool)
    -> KernelCandidate
  {
    KernelCandidate(name, elements: .fourBytes) { request in
      var source: TensorDescriptor = request.followed()
      source.layout = .dense
      let axis: Int = try source.shape.resolvedAxes([axis])[0]
      let places: Shape = request.outputs[request.outputs.count - 1].shape
      guard source.shape.count > 0, places.count > 0, source.shape.isMeasurable else { return nil }
      let lines = ck_lines(source.shape, axis: axis)
      let count = Int64(places[axis])
      let type: ck_type = source.kernelType
      let givesValues: Bool = request.outputs.count == 2
      let threads = Int32(min(request.threads, source.shape.count / source.shape[axis]))
      let step = ClosureStep { memory in
        // Safe: the planner gives memory of these forms, and scratch memory for as many threads.
        withUnsafePointer(to: lines) { lines in
          requireNative(
            ck_top(
              lines, type, count, smallestFirst ? 1 : 0, memory.inputs[0],
              givesValues ? memory.outputs[0] : nil, memory.outputs[givesValues ? 1 : 0],
              memory.scratch, threads))
        }
      }
      let element: ElementType = source.storage == .int32 ? .int32 : .float32
      var outputs: [TensorDescriptor] = [TensorDescriptor(places, element)]
      if givesValues { outputs.insert(TensorDescriptor(places, source.storage), at: 0) }
      return Kernel(
        step, inputs: [source] + request.inputs.dropFirst(), outputs: outputs,
        scratchByteCount: withUnsafePointer(to: lines) { ck_top_scratch_bytes($0, threads) })
    }
  }
}
