import Backends
import CKernels
import Graph
import Operators

extension OneHotOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native marks", elements: .fourBytes) { request in
        let indices: TensorDescriptor = request.dense(0)
        let numbers = PlaceNumbers(indices)
        let output = TensorDescriptor(request.outputs[0].shape)
        guard indices.shape.count > 0, output.shape.count > 0 else { return nil }
        let axis: Int = try output.shape.axis(axis)
        let outer = Int64(output.shape.product(0..<axis))
        let inner = Int64(output.shape.product(axis + 1..<output.shape.rank))
        let size = Int64(output.shape[axis])
        let (on, off) = (onValue, offValue)
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of the two forms.
          ck_one_hot(
            outer, size, inner, on, off, numbers.native(memory.inputs[0]),
            memory.outputs[0].assumingMemoryBound(to: Float.self))
        }
        return Kernel(
          step, inputs: [indices] + request.inputs.dropFirst(), outputs: [output])
      }
    ]
  }
}

extension WhereNonZeroOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native listing", elements: .fourBytes) { request in
        let input: TensorDescriptor = request.dense(0)
        let numbers = PlaceNumbers(input)
        let output = TensorDescriptor(request.outputs[0].shape)
        let rows = Int64(output.shape[0])
        guard input.shape.count > 0, rows > 0, input.shape.rank <= 16 else { return nil }
        let extents: [Int64] = input.shape.dimensions.map(Int64.init)
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of the two forms; no more rows are written than there are.
          let found: Int64 = ck_where_nonzero(
            Int32(extents.count), extents, numbers.native(memory.inputs[0]), rows,
            memory.outputs[0].assumingMemoryBound(to: Float.self),
            memory.scratch.assumingMemoryBound(to: Int64.self))
          precondition(found == rows, "\(found) elements are not zero, planned for \(rows)")
        }
        return Kernel(
          step, inputs: [input], outputs: [output],
          scratchByteCount: Int(ck_where_nonzero_scratch(Int64(input.shape.count))) * 8)
      }
    ]
  }
}

extension WhereBroadcastableOperator: KernelProvider {
  /// Values are kept bit by bit: not-a-number that is not chosen does no harm.
  public var kernels: [KernelCandidate] {
    var program = PointwiseProgram(inputCount: 3)
    let first: Int = program.append(.keep, 1, 0)
    let second: Int = program.append(.drop, 2, 0)
    program.append(.unite, first, second)
    return [program.candidate("native choice"), .choice]
  }
}

extension NonMaximumSuppressionOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native suppression") { suppressionKernel($0) }]
  }

  private func suppressionKernel(_ request: KernelRequest) -> Kernel? {
    let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
    let outputs: [TensorDescriptor] = request.outputs.map { TensorDescriptor($0.shape) }
    let scores: Shape = inputs[1].shape
    guard inputs.dropFirst(2).allSatisfy({ $0.shape.count == 1 }), scores.count > 0,
      outputs.allSatisfy({ $0.shape.count > 0 }), scores.isMeasurable
    else { return nil }
    let description = ck_suppression(
      batch: Int64(scores[0]), boxes: Int64(scores[1]), classes: Int64(scores[2]),
      most: Int64(outputs[2].shape[1]), overlap: Double(overlapThreshold),
      least: Double(scoreThreshold), per_class: isPerClass ? 1 : 0)
    let count: Int = inputs.count
    let step = ClosureStep { memory in
      // Safe: the planner gives memory of these forms, and scratch memory of the size asked for.
      func floats(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
        pointer.assumingMemoryBound(to: Float.self)
      }
      var description = description
      if count > 2 { description.overlap = Double(floats(memory.inputs[2])[0]) }
      if count > 3 { description.least = Double(floats(memory.inputs[3])[0]) }
      requireNative(
        ck_suppress(
          &description, floats(memory.inputs[0]), floats(memory.inputs[1]),
          floats(memory.outputs[0]), floats(memory.outputs[1]), floats(memory.outputs[2]),
          floats(memory.outputs[3]), memory.scratch))
    }
    return Kernel(
      step, inputs: inputs, outputs: outputs,
      scratchByteCount: withUnsafePointer(to: description) { ck_suppression_scratch_bytes($0) })
  }
}
