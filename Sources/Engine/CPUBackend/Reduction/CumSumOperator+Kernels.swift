import Backends
import CKernels
import Operators

extension CumSumOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native running sums", elements: [.float32, .int32, .int64]) { request in
        let form = request.dense(0)
        guard form.shape.count > 0 else { return nil }
        if request.inputs.count == 2 {
          let axis = request.dense(1)
          guard axis.shape.count == 1 else { return nil }
          return Kernel(
            RunningSumStep(self, form, axis: axis), inputs: [form, axis],
            outputs: [form])
        }
        _ = try form.shape.resolvedAxes([axis])
        return Kernel(
          RunningSumStep(self, form, axis: nil), inputs: [form], outputs: [form],
          inPlaceInput: 0)
      }
    ]
  }
}

/// Running sums of dense memory along an axis that the model or the second input names: of `float32` in double
/// precision, so that they round once, of integers exactly.
private final class RunningSumStep: Step, @unchecked Sendable {
  private let layer: CumSumOperator
  private let form: TensorDescriptor
  private let axis: TensorDescriptor?
  /// The lines along each axis.
  private let lines: [ck_lines]

  init(_ layer: CumSumOperator, _ form: TensorDescriptor, axis: TensorDescriptor?) {
    self.layer = layer
    self.form = form
    self.axis = axis
    lines = (0..<form.shape.rank).map { ck_lines(form.shape, axis: $0) }
  }

  override func run(_ memory: StepMemory) throws {
    var place: Int = layer.axis
    if let axis { place = try named(axis, memory.inputs[1]) }
    guard let resolved = form.shape.resolvedAxis(place) else {
      _ = try form.shape.resolvedAxes([place])
      return
    }
    let (exclusive, reversed): (Int32, Int32) = (
      layer.isExclusive ? 1 : 0, layer.isReversed ? 1 : 0
    )
    withUnsafePointer(to: lines[resolved]) { lines in
      // Safe: the planner gives memory of the forms that the kernel asked for.
      if form.storage == .float32 {
        requireNative(
          ck_cumulative_sum(
            lines, exclusive, reversed, memory.inputs[0].assumingMemoryBound(to: Float.self),
            memory.outputs[0].assumingMemoryBound(to: Float.self)))
      } else {
        requireNative(
          ck_whole_cumulative_sum(
            lines, form.kernelType, exclusive, reversed, layer.overflow == .saturates ? 1 : 0,
            memory.inputs[0], memory.outputs[0]))
      }
    }
  }

  /// The axis that the second input names.
  private func named(_ axis: TensorDescriptor, _ memory: UnsafeRawPointer) throws -> Int {
    switch axis.storage {
    case .int32: return Int(memory.load(as: Int32.self))
    case .int64: return Int(clamping: memory.load(as: Int64.self))
    default: return try CumSumOperator.axis(Double(memory.load(as: Float.self)), axis.shape)
    }
  }
}
