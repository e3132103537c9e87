import CKernels
import Operators

extension PoolingGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native pooling gradient") { try nativeKernel($0) }]
  }

  /// Makes a kernel for channels-last images of `float32` or `bfloat16`. The gradients of overlapping windows are
  /// summed in the order of the windows. The sums are in `float32` scratch memory if the gradient is `bfloat16`.
  private func nativeKernel(_ request: KernelRequest) throws -> Kernel? {
    var forms: [TensorDescriptor] = request.inputs.indices.map { request.followed($0) }
    for index in forms.indices { forms[index].layout = .channelsLast }
    let last: Int = forms.count - 1
    if isMaximum, forms[0].storage == .bfloat16 { forms[last].storage = .bfloat16 }
    guard let source = forms[0].storage.native, let target = forms[last].storage.native,
      shape.count > 0, forms[last].shape.count > 0
    else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: shape)
    let (rows, columns) = try pooling.windows(height: map.height, width: map.width)
    var description = ck_pooling_gradient()
    description.batch = Int64(map.batch)
    description.height = Int64(map.height)
    description.width = Int64(map.width)
    description.channels = Int64(map.channels)
    description.output_height = Int64(rows.count)
    description.output_width = Int64(columns.count)
    description.is_maximum = isMaximum ? 1 : 0
    description.source_type = source
    description.gradient_type = target
    let step = PoolingGradientStep(
      description, rows: try PoolingTable(rows, factor: factor),
      columns: try PoolingTable(columns, factor: factor))
    return Kernel(
      step, inputs: forms,
      outputs: [TensorDescriptor(shape, forms[last].storage, .channelsLast)],
      scratchByteCount: step.scratchByteCount)
  }
}

/// The windows along one axis, and the factor by which each window multiplies its gradient.
private struct PoolingTable: Sendable {
  let windows: PoolingWindows
  let factors: AlignedBuffer

  init(_ axis: PoolingAxis, factor: (PoolingAxis, Int) -> Double) throws {
    windows = try PoolingWindows(axis)
    factors = try AlignedBuffer((0..<axis.count).map { Float(factor(axis, $0)) })
  }
}

/// Runs the native gradient of pooling.
private final class PoolingGradientStep: Step, @unchecked Sendable {
  private let description: ck_pooling_gradient
  private let rows: PoolingTable
  private let columns: PoolingTable
  let scratchByteCount: Int

  init(_ description: ck_pooling_gradient, rows: PoolingTable, columns: PoolingTable) {
    var full: ck_pooling_gradient = description
    // Safe: this step retains the tables.
    full.row_starts = rows.windows.starts.integers
    full.row_ends = rows.windows.ends.integers
    full.row_factors = UnsafePointer(rows.factors.floats)
    full.column_starts = columns.windows.starts.integers
    full.column_ends = columns.windows.ends.integers
    full.column_factors = UnsafePointer(columns.factors.floats)
    self.description = full
    self.rows = rows
    self.columns = columns
    scratchByteCount = ck_pooling_gradient_scratch_bytes(&full)
  }

  override func run(_ memory: StepMemory) throws {
    withExtendedLifetime((rows, columns)) {
      var description: ck_pooling_gradient = self.description
      let isMaximum: Bool = description.is_maximum == 1
      // Safe: inputs and output have the forms of the kernel, and the gradient of a maximum has two inputs.
      requireNative(
        ck_pooling_gradient_run(
          &description, memory.inputs[0], memory.inputs[isMaximum ? 1 : 0], memory.outputs[0],
          memory.scratch))
    }
  }
}
