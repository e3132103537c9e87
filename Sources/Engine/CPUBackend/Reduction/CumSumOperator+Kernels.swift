import Backends
import CKernels
import Operators

extension CumSumOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native running sums") { request in
        let form = TensorDescriptor(request.inputs[0].shape)
        guard form.shape.count > 0 else { return nil }
        if request.inputs.count == 2 {
          let axis = TensorDescriptor(request.inputs[1].shape)
          guard axis.shape.count == 1 else { return nil }
          return Kernel(
            RunningSumStep(self, form.shape, axisShape: axis.shape), inputs: [form, axis],
            outputs: [form])
        }
        _ = try form.shape.resolvedAxes([axis])
        return Kernel(
          RunningSumStep(self, form.shape, axisShape: nil), inputs: [form], outputs: [form],
          inPlaceInput: 0)
      }
    ]
  }
}

/// Running sums of dense `float32` along an axis that the model or the second input names; in double
/// precision, so that they round once.
private final class RunningSumStep: Step, @unchecked Sendable {
  private let layer: CumSumOperator
  private let shape: Shape
  private let axisShape: Shape?
  /// The lines along each axis.
  private let lines: [ck_lines]

  init(_ layer: CumSumOperator, _ shape: Shape, axisShape: Shape?) {
    self.layer = layer
    self.shape = shape
    self.axisShape = axisShape
    lines = (0..<shape.rank).map { ck_lines(shape, axis: $0) }
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives memory of the forms that the kernel asked for.
    var axis: Int = layer.axis
    if let axisShape {
      let named = memory.inputs[1].assumingMemoryBound(to: Float.self)
      axis = try CumSumOperator.axis(Double(named[0]), axisShape)
    }
    guard let resolved = shape.resolvedAxis(axis) else {
      _ = try shape.resolvedAxes([axis])
      return
    }
    withUnsafePointer(to: lines[resolved]) { lines in
      requireNative(
        ck_cumulative_sum(
          lines, layer.isExclusive ? 1 : 0, layer.isReversed ? 1 : 0,
          memory.inputs[0].assumingMemoryBound(to: Float.self),
          memory.outputs[0].assumingMemoryBound(to: Float.self)))
    }
  }
}
