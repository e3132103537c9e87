import CKernels
import COneDNN
import Operators

extension PoolingOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native global pooling") { [self] in try globalKernel($0) },
      KernelCandidate("native maximum") { [self] in try maximumKernel($0) },
      KernelCandidate("oneDNN pooling") { [self] in try averageKernel($0) },
      KernelCandidate("oneDNN pooling with native rescaling") { [self] in
        try rescaledKernel($0)
      },
    ]
  }

  /// Reduces whole planes, in any layout and float type; sums run in a fixed order.
  private func globalKernel(_ request: KernelRequest) throws -> Kernel? {
    let form: TensorDescriptor = request.followed()
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    let isWhole: Bool =
      rows.count == 1 && columns.count == 1 && rows.pixels(0).count == map.height
      && columns.pixels(0).count == map.width
    guard isWhole, form.shape.count > 0, let type = form.storage.native,
      kind != .average || excludesPadding
        || rows.countWithPadding(0) * columns.countWithPadding(0) == map.area
    else { return nil }
    let reduction: ck_reduction
    switch kind {
    case .maximum: reduction = CK_REDUCE_MAX
    case .average: reduction = CK_REDUCE_MEAN
    case .l2: reduction = CK_REDUCE_L2
    }
    let isLast: Bool = form.layout == .channelsLast
    let outer = Int64(isLast ? map.batch : map.batch * map.channels)
    let inner = Int64(isLast ? map.channels : 1)
    let area = Int64(map.area)
    let step = ClosureStep { (memory: StepMemory) in
      requireNative(
        ck_reduce(reduction, 0, type, memory.inputs[0], memory.outputs[0], outer, area, inner))
    }
    return Kernel(
      step, inputs: [form],
      outputs: [TensorDescriptor(request.outputs[0].shape, form.storage, form.layout)])
  }

  /// The maximum of channels-last pictures. oneDNN's is not used: it passes over NaN.
  private func maximumKernel(_ request: KernelRequest) throws -> Kernel? {
    var form: TensorDescriptor = request.followed()
    form.layout = .channelsLast
    guard kind == .maximum, form.shape.count > 0, let type = form.storage.native else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    var description = ck_max_pooling()
    description.type = type
    description.batch = Int64(map.batch)
    description.height = Int64(map.height)
    description.width = Int64(map.width)
    description.channels = Int64(map.channels)
    description.output_height = Int64(rows.count)
    description.output_width = Int64(columns.count)
    return Kernel(
      MaximumPoolingStep(
        description, rows: try PoolingWindows(rows), columns: try PoolingWindows(columns)),
      inputs: [form],
      outputs: [TensorDescriptor(request.outputs[0].shape, form.storage, .channelsLast)])
  }

  /// oneDNN's average, where both count padding alike.
  private func averageKernel(_ request: KernelRequest) throws -> Kernel? {
    guard kind == .average else { return nil }
    let form: TensorDescriptor = request.followed()
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    if !excludesPadding && (rows.overhangs || columns.overhangs) { return nil }
    let oneKind: adnn_pooling_kind =
      excludesPadding ? ADNN_POOLING_AVERAGE_EXCLUDE_PADDING : ADNN_POOLING_AVERAGE_INCLUDE_PADDING
    guard
      let primitive = try poolingPrimitive(oneKind, form: form, rows: rows, columns: columns)
    else { return nil }
    return Kernel(
      DNNStep(primitive), inputs: [form],
      outputs: [TensorDescriptor(request.outputs[0].shape, form.storage, form.layout)],
      scratchByteCount: primitive.scratchByteCount)
  }

  /// oneDNN's average with other arithmetic around it: the L2 norm as `√(k · mean of squares)`, and
  /// windows that reach beyond the declared padding. `float32` only; scratch memory of the input's
  /// size for L2.
  private func rescaledKernel(_ request: KernelRequest) throws -> Kernel? {
    guard kind != .maximum else { return nil }
    var form: TensorDescriptor = request.followed()
    form.storage = .float32
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    guard
      let primitive = try poolingPrimitive(
        ADNN_POOLING_AVERAGE_INCLUDE_PADDING, form: form, rows: rows, columns: columns)
    else { return nil }
    let output = TensorDescriptor(request.outputs[0].shape, .float32, form.layout)
    let step = try RescaledPoolingStep(
      primitive, layer: self, rows: rows, columns: columns, input: form, output: output)
    return Kernel(
      step, inputs: [form], outputs: [output], scratchByteCount: step.scratchByteCount)
  }

  private func poolingPrimitive(
    _ kind: adnn_pooling_kind, form: TensorDescriptor, rows: PoolingAxis, columns: PoolingAxis
  ) throws -> DNNPrimitive? {
    guard let type = form.storage.oneDNN, form.shape.count > 0, rows.count > 0, columns.count > 0,
      rows.touchesInput, columns.touchesInput
    else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard map.fitsLibraries else { return nil }
    return try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_pooling()
      description.kind = kind
      description.batch = Int32(map.batch)
      description.channels = Int32(map.channels)
      description.input_height = Int32(map.height)
      description.input_width = Int32(map.width)
      description.output_height = Int32(rows.count)
      description.output_width = Int32(columns.count)
      description.kernel_height = Int32(rows.kernel)
      description.kernel_width = Int32(columns.kernel)
      description.stride_height = Int32(rows.stride)
      description.stride_width = Int32(columns.stride)
      description.pad_top = Int32(rows.before)
      description.pad_left = Int32(columns.before)
      description.pad_bottom = Int32(rows.reach)
      description.pad_right = Int32(columns.reach)
      description.type = type
      description.layout = form.layout.oneDNN
      return adnn_pooling_create(&description, result)
    }
  }
}

extension PoolingAxis {
  /// How far the last window reaches beyond the input; 0 where it ends inside.
  package var reach: Int { max((count - 1) * stride + kernel - before - extent, 0) }

  /// Whether every window holds a pixel of the input.
  package var touchesInput: Bool {
    before < kernel && (count - 1) * stride - before < extent && kernel < 1 << 20
  }
}

/// The windows along one axis as the native kernels read them.
package struct PoolingWindows: Sendable {
  /// The first pixel of each window, and the one after its last.
  package let starts: AlignedBuffer, ends: AlignedBuffer

  package init(_ axis: PoolingAxis) throws {
    starts = try AlignedBuffer(integers: (0..<axis.count).map { Int32(axis.pixels($0).lowerBound) })
    ends = try AlignedBuffer(integers: (0..<axis.count).map { Int32(axis.pixels($0).upperBound) })
  }
}

/// Runs the native maximum.
private final class MaximumPoolingStep: Step, @unchecked Sendable {
  private let description: ck_max_pooling
  private let rows: PoolingWindows
  private let columns: PoolingWindows

  init(_ description: ck_max_pooling, rows: PoolingWindows, columns: PoolingWindows) {
    var full: ck_max_pooling = description
    // Safe: the tables live as long as this step, which keeps them.
    full.row_starts = rows.starts.integers
    full.row_ends = rows.ends.integers
    full.column_starts = columns.starts.integers
    full.column_ends = columns.ends.integers
    self.description = full
    self.rows = rows
    self.columns = columns
  }

  override func run(_ memory: StepMemory) throws {
    withExtendedLifetime((rows, columns)) {
      var description: ck_max_pooling = self.description
      // Safe: input and output have the forms that the kernel asked for.
      requireNative(ck_max_pooling_run(&description, memory.inputs[0], memory.outputs[0]))
    }
  }
}

/// Squares, averages and rescales: see `PoolingOperator.rescaledKernel`.
private final class RescaledPoolingStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let isL2: Bool
  private let windowCount: Float
  private let factors: AlignedBuffer
  private let inputCount: Int
  private let shape: [Int64]
  private let strides: [Int64]
  private let factorStrides: [Int64]

  init(
    _ primitive: DNNPrimitive, layer: PoolingOperator, rows: PoolingAxis, columns: PoolingAxis,
    input: TensorDescriptor, output: TensorDescriptor
  ) throws {
    self.primitive = primitive
    isL2 = layer.kind == .l2
    windowCount = Float(rows.kernel * columns.kernel)
    inputCount = input.shape.count
    var table: [Float] = []
    for row in 0..<rows.count {
      for column in 0..<columns.count {
        let inside: Int = max(rows.pixels(row).count * columns.pixels(column).count, 1)
        let all: Int = rows.countWithPadding(row) * columns.countWithPadding(column)
        table.append(windowCount / Float(layer.excludesPadding ? inside : all))
      }
    }
    factors = try AlignedBuffer(table)
    let map = FeatureMap(ofRankThreeOrMore: output.shape)
    if output.layout == .channelsLast {
      shape = [Int64(map.batch), Int64(map.area), Int64(map.channels)]
      factorStrides = [0, 1, 0]
    } else {
      shape = [Int64(map.batch), Int64(map.channels), Int64(map.area)]
      factorStrides = [0, 0, 1]
    }
    strides = [shape[1] * shape[2], shape[2], 1]
  }

  override var detail: String { primitive.implementation }
  override var constantByteCount: Int { factors.byteCount }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  private var primitiveScratch: Int { (primitive.scratchByteCount + 63) / 64 * 64 }
  var scratchByteCount: Int { primitiveScratch + (isL2 ? inputCount * 4 : 0) }

  override func run(_ memory: StepMemory) throws {
    guard let state = memory.state else { preconditionFailure("a session keeps its state") }
    // Safe: the state is what makeState() returned; scratch memory is as large as asked for.
    let execution = unsafeDowncast(state, to: DNNExecution.self)
    var source = UnsafeRawPointer(memory.inputs[0])
    if isL2 {
      let squares = memory.scratch + primitiveScratch
      var square = ck_step()
      square.function = CK_SQUARE
      requireNative(
        ck_chain(&square, 1, source, CK_F32, squares, CK_F32, Int64(inputCount), 1, 1))
      source = UnsafeRawPointer(squares)
    }
    try execution.run(
      source: source, destination: memory.outputs[0], scratch: memory.scratch)
    let target: UnsafeMutableRawPointer = memory.outputs[0]
    if isL2 {
      var scale = ck_step()
      scale.function = CK_LINEAR
      scale.alpha = windowCount
      var root = ck_step()
      root.function = CK_SQRT
      let count: Int64 = shape[0] * strides[0]
      requireNative(ck_chain(&scale, 1, target, CK_F32, target, CK_F32, count, 1, 1))
      requireNative(ck_chain(&root, 1, target, CK_F32, target, CK_F32, count, 1, 1))
    } else {
      requireNative(
        ck_binary(
          CK_MULTIPLY, CK_F32, 3, shape, target, strides, factors.pointer, factorStrides, target))
    }
  }
}
