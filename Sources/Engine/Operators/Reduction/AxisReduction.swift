import CPointwise
import Backends
import Graph

/// The folding of some axes of a tensor: what all reducing layers come down to for a given rank.
package struct AxisReduction: Sendable {
  /// How values become one.
  package let mode: ReductionMode
  /// The axes that are folded, each once, in rising order.
  package let axes: [Int]
  /// Whether folded axes stay with an extent of one.
  package let keepsAxes: Bool

  /// The shape after folding. Where nothing is left of it, one dimension of one stays: Core ML has
  /// no scalars.
  package func outputShape(of shape: Shape) -> Shape {
    var extents: [Int] = []
    for (axis, extent) in shape.dimensions.enumerated() {
      if !axes.contains(axis) {
        extents.append(extent)
      } else if keepsAxes {
        extents.append(1)
      }
    }
    return extents.isEmpty ? [1] : Shape(extents)
  }

  /// The definition.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    var result = ReferenceTensor(outputShape(of: input.shape))
    var gathered = [[Double]](repeating: [], count: result.shape.count)
    var kept = input.shape
    for axis in axes { kept[axis] = 1 }
    let strides = kept.strides
    input.shape.forEachIndex { index, position in
      var target = 0
      for axis in index.indices where !axes.contains(axis) { target += index[axis] * strides[axis] }
      gathered[target].append(input.values[position])
    }
    for position in gathered.indices { result.values[position] = mode(gathered[position]) }
    return result
  }

  /// The kernel, where the folded axes lie together in memory; nil elsewhere.
  ///
  /// Reads both layouts and types as they come. The result is `float32`: statistics are small, and
  /// differences of them lose what `bfloat16` would round off.
  package func kernel(for request: KernelRequest) -> Kernel? {
    let offered = request.inputs[0]
    let output = request.outputs[0].shape
    let storage: ElementType = offered.storage == .bfloat16 ? .bfloat16 : .float32
    var forms: [TensorDescriptor] = [
      TensorDescriptor(offered.shape, storage, offered.layout),
      TensorDescriptor(offered.shape, storage),
    ]
    if offered.shape.rank >= 3 {
      forms.append(TensorDescriptor(offered.shape, storage, .channelsLast))
    }
    for form in forms {
      guard let extents = extents(in: form) else { continue }
      let isLast = form.layout == .channelsLast && keepsAxes && output.rank >= 3
      let target = TensorDescriptor(output, .float32, isLast ? .channelsLast : .dense)
      let (kind, epsilon) = mode.kernelKind
      let step = ReductionStep(
        cpw_reduction(
          kind: kind, outer: Int64(extents.outer), axis: Int64(extents.axis),
          inner: Int64(extents.inner), epsilon: epsilon,
          type: storage == .bfloat16 ? CPW_BF16 : CPW_F32))
      return Kernel(
        step, inputs: [form], outputs: [target], scratchByteCount: step.scratchByteCount)
    }
    return nil
  }

  /// The tensor's memory as [outer, axis, inner] with all folded axes in the middle; nil where they
  /// do not lie together, or where the kept axes change their order.
  private func extents(in form: TensorDescriptor) -> (outer: Int, axis: Int, inner: Int)? {
    let rank = form.shape.rank
    var order = Array(0..<rank)
    if form.layout == .channelsLast, rank >= 3 {
      order = Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3]
    }
    let moving = order.filter { form.shape[$0] != 1 }
    let kept = moving.filter { !axes.contains($0) }
    if !keepsAxes, kept != kept.sorted() { return nil }
    var result = (outer: 1, axis: 1, inner: 1)
    var stage = 0
    for axis in moving {
      let extent = form.shape[axis]
      if axes.contains(axis) {
        if stage == 2 { return nil }
        stage = 1
        result.axis *= extent
      } else if stage == 0 {
        result.outer *= extent
      } else {
        stage = 2
        result.inner *= extent
      }
    }
    return result
  }
}

/// Runs one reduction of the C library.
package final class ReductionStep: Step, @unchecked Sendable {
  private let reduction: cpw_reduction
  package let scratchByteCount: Int

  package init(_ reduction: cpw_reduction) {
    self.reduction = reduction
    scratchByteCount = withUnsafePointer(to: reduction) { cpw_reduction_scratch_bytes($0) }
  }

  package override func run(_ memory: StepMemory) throws {
    let status: Int32 = withUnsafePointer(to: reduction) { reduction in
      // Safe: the planner gives memory of the forms that the kernel asked for.
      cpw_reduction_run(
        reduction, memory.inputs[0], memory.outputs[0].assumingMemoryBound(to: Float.self),
        memory.scratch)
    }
    guard status == 0 else {
      throw EngineError(.backend, "the reduction failed within its kernel.")
    }
  }
}
