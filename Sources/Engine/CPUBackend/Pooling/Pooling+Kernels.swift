import CKernels
import COneDNN
import Operators

extension PoolingOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native global pooling") { [self] in try globalKernel($0) },
      KernelCandidate("native maximum pooling") { [self] in try maximumKernel($0) },
      KernelCandidate("oneDNN pooling") { [self] in try averageKernel($0) },
      KernelCandidate("oneDNN pooling with native rescaling") { [self] in
        try rescaledKernel($0)
      },
    ]
  }

  /// Makes a kernel that reduces entire planes, in any layout and floating-point type. Sums have a fixed order. The
  /// result is `float32`, as for all reductions.
  private func globalKernel(_ request: KernelRequest) throws -> Kernel? {
    let form: TensorDescriptor = request.followed()
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    let coversPlane: Bool =
      rows.count == 1 && columns.count == 1 && rows.pixels(0).count == map.height
      && columns.pixels(0).count == map.width
    guard coversPlane, form.shape.count > 0, let type = form.storage.native,
      kind != .average || excludesPadding
        || rows.countWithPadding(0) * columns.countWithPadding(0) == map.area
    else { return nil }
    let reduction: ck_reduction_kind
    switch kind {
    case .maximum: reduction = CK_REDUCE_MAXIMUM
    case .average: reduction = CK_REDUCE_MEAN
    case .l2: reduction = CK_REDUCE_L2
    }
    let isLast: Bool = form.layout == .channelsLast
    let step = ReductionStep(
      ck_reduction(
        kind: reduction, outer: Int64(isLast ? map.batch : map.batch * map.channels),
        axis: Int64(map.area), inner: Int64(isLast ? map.channels : 1), epsilon: 0, type: type))
    return Kernel(
      step, inputs: [form],
      outputs: [TensorDescriptor(request.outputs[0].shape, .float32, form.layout)],
      scratchByteCount: step.scratchByteCount)
  }

  /// Makes a kernel for the maximum of channels-last images. oneDNN's kernel ignores NaN, so it is used only for bytes.
  private func maximumKernel(_ request: KernelRequest) throws -> Kernel? {
    if request.isHeldInBytes(0), let kernel = try byteMaximumKernel(request) { return kernel }
    var form: TensorDescriptor = request.followed()
    form.layout = .channelsLast
    guard kind == .maximum, form.shape.count > 0, let type = form.storage.native else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    // Planning makes tables of the windows' positions before the memory budget is checked, so the tables must be small.
    guard [rows.count, columns.count].saturatingSum <= KernelCandidate.largestTable else {
      return nil
    }
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

  /// Makes a kernel for the maximum of bytes.
  private func byteMaximumKernel(_ request: KernelRequest) throws -> Kernel? {
    guard kind == .maximum, request.inputs[0].shape.rank >= 3 else { return nil }
    let form = TensorDescriptor(request.inputs[0].shape, .uint8, .channelsLast)
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    let (rows, columns) = try windows(height: map.height, width: map.width)
    guard
      let primitive = try poolingPrimitive(
        ADNN_POOLING_MAXIMUM, form: form, rows: rows, columns: columns)
    else { return nil }
    return Kernel(
      DNNStep(primitive), inputs: [form],
      outputs: [TensorDescriptor(request.outputs[0].shape, .uint8, .channelsLast)],
      scratchByteCount: primitive.scratchByteCount)
  }

  /// Makes oneDNN's average kernel, if oneDNN counts padding as the operator does.
  private func averageKernel(_ request: KernelRequest) throws -> Kernel? {
    guard kind == .average else { return nil }
    let form: TensorDescriptor = request.followedByLibrary()
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

  /// Makes a kernel that multiplies oneDNN's averages by factors. It computes the L2 norm of a window as `√(k · mean of
  /// squares)`, where k is the number of pixels of a window. It also computes averages of windows that reach beyond the
  /// declared padding. Tensors are `float32`. The scratch memory holds oneDNN's scratch memory and, for L2, the squares
  /// of the input.
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
    guard let step else { return nil }
    return Kernel(
      step, inputs: [form], outputs: [output], scratchByteCount: step.scratchByteCount)
  }

  private func poolingPrimitive(
    _ kind: adnn_pooling_kind, form: TensorDescriptor, rows: PoolingAxis, columns: PoolingAxis
  ) throws -> DNNPrimitive? {
    let isByte: Bool = form.storage == .uint8
    guard let type = isByte ? ADNN_U8 : form.storage.oneDNN, form.shape.count > 0, rows.count > 0,
      columns.count > 0, rows.touchesInput, columns.touchesInput
    else { return nil }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard map.fitsLibraries else { return nil }
    return try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_pooling()
      description.kind = kind
      description.batch = Int64(map.batch)
      description.channels = Int64(map.channels)
      description.input_height = Int64(map.height)
      description.input_width = Int64(map.width)
      description.output_height = Int64(rows.count)
      description.output_width = Int64(columns.count)
      description.kernel_height = Int64(rows.kernel)
      description.kernel_width = Int64(columns.kernel)
      description.stride_height = Int64(rows.stride)
      description.stride_width = Int64(columns.stride)
      description.pad_top = Int64(rows.before)
      description.pad_left = Int64(columns.before)
      description.pad_bottom = Int64(rows.reach)
      description.pad_right = Int64(columns.reach)
      description.type = type
      description.layout = form.layout.oneDNN
      return adnn_pooling_create(&description, result)
    }
  }
}

extension PoolingAxis {
  /// The number of pixels by which the last window reaches beyond the input. 0 if the last window ends inside.
  package var reach: Int { max((count - 1) * stride + kernel - before - extent, 0) }

  /// Whether every window contains a pixel of the input.
  package var touchesInput: Bool {
    before < kernel && (count - 1) * stride - before < extent && kernel < 1 << 20
  }
}

/// The windows along one axis, in the format of the native kernels.
package struct PoolingWindows: Sendable {
  /// The first pixel of each window, and the pixel after the window's last pixel.
  package let starts: AlignedBuffer, ends: AlignedBuffer

  package init(_ axis: PoolingAxis) throws {
    starts = try AlignedBuffer(integers: (0..<axis.count).map { Int32(axis.pixels($0).lowerBound) })
    ends = try AlignedBuffer(integers: (0..<axis.count).map { Int32(axis.pixels($0).upperBound) })
  }
}

/// Runs the native maximum pooling.
private final class MaximumPoolingStep: Step, @unchecked Sendable {
  private let description: ck_max_pooling
  private let rows: PoolingWindows
  private let columns: PoolingWindows

  init(_ description: ck_max_pooling, rows: PoolingWindows, columns: PoolingWindows) {
    var full: ck_max_pooling = description
    // Safe: this step retains the tables.
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
      // Safe: input and output have the forms of the kernel.
      requireNative(ck_max_pooling_run(&description, memory.inputs[0], memory.outputs[0]))
    }
  }
}

/// The step of `PoolingOperator.rescaledKernel`: squares the input if needed, averages, then rescales.
private final class RescaledPoolingStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  /// Whether the operator is an L2 norm. Otherwise, the operator is an average.
  private let isL2: Bool
  /// Squares the input of an L2 norm. Nil for an average.
  private let squares: PointwiseStep?
  /// Rescales the averages, in place.
  private let rescaling: PointwiseStep
  /// For each window: the factor by which its average is multiplied. Nil for L2.
  private let factors: AlignedBuffer?
  private let inputCount: Int

  init?(
    _ primitive: DNNPrimitive, layer: PoolingOperator, rows: PoolingAxis, columns: PoolingAxis,
    input: TensorDescriptor, output: TensorDescriptor
  ) throws {
    self.primitive = primitive
    isL2 = layer.kind == .l2
    inputCount = input.shape.count
    let windowCount = Float(rows.kernel * columns.kernel)
    if isL2 {
      var square = PointwiseProgram(inputCount: 1)
      square.append(.power, 0, alpha: 2)
      let elements = TensorDescriptor([inputCount])
      let squares = try PointwiseStep(square, inputs: [elements], output: elements)
      var root = PointwiseProgram(inputCount: 1)
      root.append(.squareRoot, root.append(.affine, 0, alpha: windowCount))
      let averages = TensorDescriptor([output.shape.count])
      let step = try PointwiseStep(root, inputs: [averages], output: averages)
      guard let squares, let step else { return nil }
      self.squares = squares
      rescaling = step
      factors = nil
      return
    }
    squares = nil
    var factors: [Float] = []
    for row in 0..<rows.count {
      for column in 0..<columns.count {
        let inside: Int = max(rows.pixels(row).count * columns.pixels(column).count, 1)
        let all: Int = rows.countWithPadding(row) * columns.countWithPadding(column)
        factors.append(windowCount / Float(layer.excludesPadding ? inside : all))
      }
    }
    self.factors = try AlignedBuffer(factors)
    let map = FeatureMap(ofRankThreeOrMore: output.shape)
    let isLast: Bool = output.layout == .channelsLast
    let averages = TensorDescriptor(
      isLast ? [map.batch, map.area, map.channels] : [map.batch * map.channels, map.area])
    let windows = TensorDescriptor(isLast ? [map.area, 1] : [map.area])
    var product = PointwiseProgram(inputCount: 2)
    product.append(.multiply, 0, 1)
    let step = try PointwiseStep(product, inputs: [averages, windows], output: averages)
    guard let step else { return nil }
    rescaling = step
  }

  override var detail: String { primitive.implementation }
  override var constantByteCount: Int { factors?.byteCount ?? 0 }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  private var primitiveScratch: Int { (primitive.scratchByteCount + 63) / 64 * 64 }
  var scratchByteCount: Int { primitiveScratch + (isL2 ? inputCount * 4 : 0) }

  override func run(_ memory: StepMemory) throws {
    guard let state = memory.state else {
      preconditionFailure("a session has a state for this step")
    }
    // Safe: the state comes from makeState(), and scratch memory has the stated size.
    let execution = unsafeDowncast(state, to: DNNExecution.self)
    // There are only two pointers, so the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: 2) { operands in
      operands.initializeElement(at: 0, to: memory.scratch + primitiveScratch)
      operands.initializeElement(at: 1, to: factors?.pointer ?? memory.scratch)
      guard let first = UnsafePointer(operands.baseAddress) else { return }
      try squares?.run(
        StepMemory(inputs: memory.inputs, outputs: first, scratch: memory.scratch, state: nil))
      try execution.run(
        source: isL2 ? first[0] : memory.inputs[0], destination: memory.outputs[0],
        scratch: memory.scratch)
      // The averages are rescaled in place. The factors are the second operand.
      operands[0] = memory.outputs[0]
      try rescaling.run(
        StepMemory(inputs: first, outputs: memory.outputs, scratch: memory.scratch, state: nil))
    }
  }
}
