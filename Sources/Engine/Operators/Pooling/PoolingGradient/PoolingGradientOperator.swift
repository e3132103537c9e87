import CKernels
import Backends
import Graph

/// The gradient of a pooling: every window gives its gradient to its pixels.
///
///     max:      to the first of the largest pixels
///     average:  to all pixels, divided by the window's count
///     sum:      to all pixels; the first step of the L2 norm's gradient
///
/// - Inputs: `x [N, C, H, W]` for a maximum only; `∂y [N, C, H', W']`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: a gradient of another shape than the pooling's output.
///
/// Made by differentiation only; no model holds it.
///
/// **Source:** Zeiler and Fergus, “Visualizing and understanding convolutional networks”,
/// arXiv:1311.2901, for the maximum.
public struct PoolingGradientOperator: DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "PoolingGradient", specification: nil,
    summary: "the gradient of windows given to their pixels")

  /// The pooling.
  public let pooling: PoolingOperator
  /// The shape of what was pooled.
  public let shape: Shape

  /// The gradient of a pooling of a shape. With the L2 norm every pixel gets the whole gradient.
  public init(_ pooling: PoolingOperator, of shape: Shape) {
    self.pooling = pooling
    self.shape = shape
  }

  private var isMaximum: Bool { pooling.kind == .maximum }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = isMaximum ? 2 : 1
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let pooled: Shape =
      try pooling.outputTypes(for: [OperatorInput(TensorType(shape))])?[0].shape ?? []
    guard inputs[expected - 1].shape == pooled, !isMaximum || inputs[0].shape == shape else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs[expected - 1].shape), expected \(pooled), the pooling of \(shape)."
      )
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(shape)
    let (rows, columns) = try pooling.windows(height: map.height, width: map.width)
    let gradient: [Double] = inputs[inputs.count - 1].values
    var result = ReferenceTensor(shape)
    var position = 0
    for sample in 0..<map.batch {
      for channel in 0..<map.channels {
        for row in 0..<rows.count {
          for column in 0..<columns.count {
            let places: [Int] = rows.pixels(row).flatMap { (y: Int) -> [Int] in
              columns.pixels(column).map { map.offset(sample, channel, y, $0) }
            }
            let given: Double = gradient[position]
            position += 1
            guard var best = places.first else { continue }
            if isMaximum {
              let values: [Double] = inputs[0].values
              for place in places where values[place] > values[best] { best = place }
              result.values[best] += given
            } else {
              let factor: Double = factor(rows, row) * factor(columns, column)
              for place in places { result.values[place] += given * factor }
            }
          }
        }
      }
    }
    return [result]
  }

  /// What a pixel gets of a window along one axis.
  private func factor(_ axis: PoolingAxis, _ window: Int) -> Double {
    guard pooling.kind == .average else { return 1 }
    let inside: Int = max(axis.pixels(window).count, 1)
    return 1 / Double(pooling.excludesPadding ? inside : axis.countWithPadding(window))
  }
}

extension PoolingGradientOperator {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native pooling gradient") { try nativeKernel($0) }]
  }

  /// Channels-last pictures of `float32` or `bfloat16`. Windows that overlap are summed in their order, in
  /// `float32` scratch memory where the gradient is `bfloat16`.
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

/// The windows along one axis, and what each gives to its pixels.
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
    // Safe: the tables live as long as this step, which keeps them.
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
      // Safe: inputs and output have the forms that the kernel asked for; a maximum has two inputs.
      requireNative(
        ck_pooling_gradient_run(
          &description, memory.inputs[0], memory.inputs[isMaximum ? 1 : 0], memory.outputs[0],
          memory.scratch))
    }
  }
}
