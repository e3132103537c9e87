import Backends
import CKernels
import Graph
import Operators

extension OneHotOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native one-hot", elements: .fourBytes) { request in
        let indices: TensorDescriptor = request.dense(0)
        let numbers = IndexValues(indices)
        let output = TensorDescriptor(request.outputs[0].shape)
        guard indices.shape.count > 0, output.shape.count > 0 else { return nil }
        let axis: Int = try output.shape.axis(axis)
        let outer = Int64(output.shape.product(0..<axis))
        let inner = Int64(output.shape.product(axis + 1..<output.shape.rank))
        let size = Int64(output.shape[axis])
        let (on, off) = (onValue, offValue)
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms.
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
      KernelCandidate("native non-zero indices", elements: .fourBytes) { request in
        let input: TensorDescriptor = request.dense(0)
        let numbers = IndexValues(input)
        let output = TensorDescriptor(request.outputs[0].shape)
        let rows = Int64(output.shape[0])
        guard input.shape.count > 0, rows > 0, input.shape.rank <= 16 else { return nil }
        let extents: [Int64] = input.shape.dimensions.map(Int64.init)
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms. The kernel writes no more rows than the output
          // has.
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
  /// Selects by masking the bits of values. A NaN that is not selected then has no effect.
  public var kernels: [KernelCandidate] {
    var program = PointwiseProgram(inputCount: 3)
    let first: Int = program.append(.mask, 1, 0)
    let second: Int = program.append(.invertedMask, 2, 0)
    program.append(.bitwiseOr, first, second)
    return [program.candidate("native select"), .select]
  }
}

extension NonMaximumSuppressionOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native non-maximum suppression") { suppressionKernel($0) }]
  }

  private func suppressionKernel(_ request: KernelRequest) -> Kernel? {
    let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
    let outputs: [TensorDescriptor] = request.outputs.map { TensorDescriptor($0.shape) }
    let scores: Shape = inputs[1].shape
    guard inputs.dropFirst(2).allSatisfy({ $0.shape.count == 1 }), scores.count > 0,
      outputs.allSatisfy({ $0.shape.count > 0 }), scores.isMeasurable
    else { return nil }
    let description = ck_non_maximum_suppression(
      batch: Int64(scores[0]), boxes: Int64(scores[1]), classes: Int64(scores[2]),
      max_boxes: Int64(outputs[2].shape[1]), overlap_threshold: Double(overlapThreshold),
      score_threshold: Double(scoreThreshold), per_class: isPerClass ? 1 : 0)
    let count: Int = inputs.count
    let step = ClosureStep { memory in
      // Safe: the planner supplies memory in the kernel's forms, and scratch memory of the stated size.
      func floats(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
        pointer.assumingMemoryBound(to: Float.self)
      }
      var description = description
      if count > 2 { description.overlap_threshold = Double(floats(memory.inputs[2])[0]) }
      if count > 3 { description.score_threshold = Double(floats(memory.inputs[3])[0]) }
      requireNative(
        ck_non_maximum_suppression_run(
          &description, floats(memory.inputs[0]), floats(memory.inputs[1]),
          floats(memory.outputs[0]), floats(memory.outputs[1]), floats(memory.outputs[2]),
          floats(memory.outputs[3]), memory.scratch))
    }
    return Kernel(
      step, inputs: inputs, outputs: outputs,
      scratchByteCount: withUnsafePointer(to: description) {
        ck_non_maximum_suppression_scratch_bytes($0)
      })
  }
}
