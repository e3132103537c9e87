import Backends
import CKernels
import Operators

extension CumSumOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native cumulative sum", elements: [.float32, .int32, .int64]) { request in
        let form = request.dense(0)
        guard form.shape.count > 0 else { return nil }
        if request.inputs.count == 2 {
          let axis = request.dense(1)
          guard axis.shape.count == 1 else { return nil }
          return Kernel(
            CumulativeSumStep(self, form, axis: axis), inputs: [form, axis],
            outputs: [form])
        }
        _ = try form.shape.resolvedAxes([axis])
        return Kernel(
          CumulativeSumStep(self, form, axis: nil), inputs: [form], outputs: [form],
          inPlaceInput: 0)
      }
    ]
  }
}

/// Computes cumulative sums of dense memory along an axis. The axis comes from the model or from the second input.
/// `float32` is summed in `Double` and rounded once. Sums of integers are exact.
private final class CumulativeSumStep: Step, @unchecked Sendable {
  private let layer: CumSumOperator
  private let form: TensorDescriptor
  private let axis: TensorDescriptor?
  /// For each axis of the tensor: the vectors along this axis.
  private let vectors: [ck_vectors]

  init(_ layer: CumSumOperator, _ form: TensorDescriptor, axis: TensorDescriptor?) {
    self.layer = layer
    self.form = form
    self.axis = axis
    vectors = (0..<form.shape.rank).map { ck_vectors(form.shape, axis: $0) }
  }

  override func run(_ memory: StepMemory) throws {
    var axisIndex: Int = layer.axis
    if let axis { axisIndex = try named(axis, memory.inputs[1]) }
    guard let resolved = form.shape.resolvedAxis(axisIndex) else {
      _ = try form.shape.resolvedAxes([axisIndex])
      return
    }
    let (exclusive, reversed): (Int32, Int32) = (
      layer.isExclusive ? 1 : 0, layer.isReversed ? 1 : 0
    )
    withUnsafePointer(to: vectors[resolved]) { vectors in
      // Safe: the planner supplies memory of the forms of the kernel.
      if form.storage == .float32 {
        requireNative(
          ck_cumulative_sum(
            vectors, exclusive, reversed, memory.inputs[0].assumingMemoryBound(to: Float.self),
            memory.outputs[0].assumingMemoryBound(to: Float.self)))
      } else {
        requireNative(
          ck_integer_cumulative_sum(
            vectors, form.kernelType, exclusive, reversed, layer.overflow == .saturates ? 1 : 0,
            memory.inputs[0], memory.outputs[0]))
      }
    }
  }

  /// Returns the axis that the second input holds.
  private func named(_ axis: TensorDescriptor, _ memory: UnsafeRawPointer) throws -> Int {
    switch axis.storage {
    case .int32: return Int(memory.load(as: Int32.self))
    case .int64: return Int(clamping: memory.load(as: Int64.self))
    default: return try CumSumOperator.axis(Double(memory.load(as: Float.self)), axis.shape)
    }
  }
}
