import Backends
import CKernels
import Operators

extension ReduceOperator: KernelProvider {
  public var kernels: [KernelCandidate] { reducingKernels }
}

extension ReduceAxesOperator: KernelProvider {
  public var kernels: [KernelCandidate] { reducingKernels }
}

extension ReducingOperator {
  fileprivate var reducingKernels: [KernelCandidate] {
    [
      KernelCandidate("native reduction") { request in
        try reduction(for: request.inputs[0].shape).kernel(for: request)
      },
      KernelCandidate("native integer reduction", elements: [.int32, .int64]) { request in
        try reduction(for: request.inputs[0].shape).integerKernel(for: request)
      },
    ]
  }
}

extension AxisReduction {
  /// Makes the kernel. Nil if the reduced axes are not contiguous in memory.
  ///
  /// The kernel reads both layouts, and `float32` or `bfloat16`. The result is `float32`: statistics are small, and
  /// `bfloat16` would lose small differences between them.
  fileprivate func kernel(for request: KernelRequest) -> Kernel? {
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
        ck_reduction(
          kind: kind, outer: Int64(extents.outer), axis: Int64(extents.axis),
          inner: Int64(extents.inner), epsilon: epsilon,
          type: storage == .bfloat16 ? CK_BF16 : CK_F32))
      return Kernel(
        step, inputs: [form], outputs: [target], scratchByteCount: step.scratchByteCount)
    }
    return nil
  }

  /// Makes the kernel for integers. Nil if the reduced axes are not contiguous in memory, or if the result is not an
  /// integer.
  fileprivate func integerKernel(for request: KernelRequest) -> Kernel? {
    let form = request.dense(0)
    guard let folding = mode.integerFolding(overflow), form.shape.count > 0,
      let extents = extents(in: form)
    else { return nil }
    let vectors = ck_vectors(
      outer: Int64(extents.outer), extent: Int64(extents.axis), inner: Int64(extents.inner))
    guard vectors.extent <= Int64(Int32.max) else { return nil }
    let step = ClosureStep { memory in
      withUnsafePointer(to: vectors) { vectors in
        // Safe: the planner supplies memory in the kernel's forms.
        requireNative(
          ck_integer_reduce(folding, form.kernelType, vectors, memory.inputs[0], memory.outputs[0]))
      }
    }
    let output: TensorType = request.outputs[0]
    return Kernel(
      step, inputs: [form], outputs: [TensorDescriptor(output.shape, output.element)])
  }

  /// Describes the tensor's memory as `[outer, axis, inner]` with all reduced axes in the middle. Nil if the reduced
  /// axes are not contiguous, or if the kept axes change their order.
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
final class ReductionStep: Step, @unchecked Sendable {
  private let reduction: ck_reduction
  let scratchByteCount: Int

  init(_ reduction: ck_reduction) {
    self.reduction = reduction
    scratchByteCount = withUnsafePointer(to: reduction) { ck_reduction_scratch_bytes($0) }
  }

  override func run(_ memory: StepMemory) throws {
    let status: Int32 = withUnsafePointer(to: reduction) { reduction in
      // Safe: the planner supplies memory of the forms of the kernel.
      ck_reduction_run(
        reduction, memory.inputs[0], memory.outputs[0].assumingMemoryBound(to: Float.self),
        memory.scratch)
    }
    guard status == 0 else {
      throw EngineError(.backend, "the kernel of the reduction failed.")
    }
  }
}

extension ReductionMode {
  /// The mode's name in CKernels, and its epsilon.
  fileprivate var kernelKind: (kind: ck_reduction_kind, epsilon: Float) {
    switch self {
    case .sum: return (CK_REDUCE_SUM, 0)
    case .mean: return (CK_REDUCE_MEAN, 0)
    case .product: return (CK_REDUCE_PRODUCT, 0)
    case .sumOfLogs(let epsilon): return (CK_REDUCE_SUM_OF_LOGS, epsilon)
    case .sumOfSquares: return (CK_REDUCE_SUM_OF_SQUARES, 0)
    case .l1: return (CK_REDUCE_L1, 0)
    case .l2: return (CK_REDUCE_L2, 0)
    case .maximum: return (CK_REDUCE_MAXIMUM, 0)
    case .minimum: return (CK_REDUCE_MINIMUM, 0)
    case .indexOfMaximum: return (CK_REDUCE_ARGMAX, 0)
    case .indexOfMinimum: return (CK_REDUCE_ARGMIN, 0)
    case .logOfSum: return (CK_REDUCE_LOG_OF_SUM, 0)
    case .logOfSumOfExponentials: return (CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS, 0)
    }
  }

  /// Returns the integer mode's name in CKernels. Nil if CKernels does not have the mode.
  fileprivate func integerFolding(_ overflow: IntegerOverflow) -> ck_integer_reduction_kind? {
    switch self {
    case .sum where overflow == .saturates: return CK_INTEGER_REDUCE_SATURATED_SUM
    case .product where overflow == .saturates: return CK_INTEGER_REDUCE_SATURATED_PRODUCT
    case .sumOfSquares where overflow == .saturates:
      return CK_INTEGER_REDUCE_SATURATED_SUM_OF_SQUARES
    case .l1 where overflow == .saturates: return CK_INTEGER_REDUCE_SATURATED_L1
    case .mean: return CK_INTEGER_REDUCE_MEAN
    case .sum: return CK_INTEGER_REDUCE_SUM
    case .product: return CK_INTEGER_REDUCE_PRODUCT
    case .sumOfSquares: return CK_INTEGER_REDUCE_SUM_OF_SQUARES
    case .l1: return CK_INTEGER_REDUCE_L1
    case .maximum: return CK_INTEGER_REDUCE_MAXIMUM
    case .minimum: return CK_INTEGER_REDUCE_MINIMUM
    case .indexOfMaximum: return CK_INTEGER_REDUCE_ARGMAX
    case .indexOfMinimum: return CK_INTEGER_REDUCE_ARGMIN
    case .sumOfLogs, .l2, .logOfSum, .logOfSumOfExponentials: return nil
    }
  }
}
