import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns the candidate for the product of rows with a constant matrix `[columns, inner]` on matrix tiles, in
  /// `bfloat16`. If there is a third input before those of the epilogue, the kernel adds a bias per column.
  static func rowsOnTiles(_ epilogue: [Epilogue]) -> KernelCandidate {
    KernelCandidate("matrix product on matrix tiles") { request in
      guard request.precision == .bfloat16 else { return nil }
      return RowsProduct.tileKernel(request, epilogue)
    }
  }

  /// Returns the candidate of the same product in pairs of `bfloat16`. It takes a third to a half of the time of the
  /// products in `float32` (measured), so it is not timed.
  static func rowsInPairs(_ epilogue: [Epilogue]) -> KernelCandidate {
    KernelCandidate("matrix product of pairs on matrix tiles", skipsTiming: true) { request in
      guard request.precision == .bfloat16Pairs else { return nil }
      return RowsProduct.tileKernel(request, epilogue)
    }
  }

  /// Returns the candidate of our own product of rows with a constant matrix `[columns, inner]` in `float32`, and an
  /// epilogue. If there is a third input before those of the epilogue, the kernel adds a bias per column.
  static func ownRowsProduct(_ epilogue: [Epilogue]) -> KernelCandidate {
    KernelCandidate("matrix product") { request in
      let own: Int = request.inputs.count - epilogue.inputCount
      guard let steps = ImageEpilogue(epilogue, inputsFrom: own) else { return nil }
      return RowsProduct(request.withoutInputs(from: own))?.ownKernel(request, steps)
    }
  }
}

extension RowsProduct {
  /// A matrix with fewer weights than ``leastBFloat16Weights`` is multiplied in `bfloat16`, too, if the product has at
  /// least this number of multiply-adds and at least 16 rows.
  private static let leastTileMultiplyAdds: Int = 1 << 22

  /// The least number of rows for our own kernel in `float32`, which computes up to 18 rows at a time.
  private static let leastOwnRows: Int = 18

  fileprivate static func tileKernel(_ request: KernelRequest, _ epilogue: [Epilogue]) -> Kernel? {
    let own: Int = request.inputs.count - epilogue.inputCount
    guard let steps = ImageEpilogue(epilogue, inputsFrom: own) else { return nil }
    return RowsProduct(request.withoutInputs(from: own))?.tileKernel(request, steps)
  }

  /// Makes our own kernel on matrix tiles. The kernel computes the product as a 1 × 1 convolution with one pixel per
  /// row. Rows are read in `bfloat16` if the plan allows it. Otherwise, each value is multiplied as a pair of
  /// `bfloat16` values, whose sum it is. Sums and the output are `float32`. Nil if the matrix is not constant, or if
  /// the product is too small.
  func tileKernel(_ request: KernelRequest, _ steps: ImageEpilogue? = nil) -> Kernel? {
    let rounds: Bool = request.precision == .bfloat16
    guard rounds || request.precision == .bfloat16Pairs, let tiles = request.ownTiles,
      rounds ? isWorthRounding(request) : isWorthPairing(request),
      var description = description(request, steps)
    else { return nil }
    if rounds { description.source_type = CK_BF16 }
    description.matrix_tiles = tiles
    return kernel(
      request, description, steps?.residual?.input, source: rounds ? .bfloat16 : .float32)
  }

  /// Makes our own kernel, which multiplies in `float32` and applies the steps. Nil if the matrix is not constant, or if
  /// there are fewer rows than the kernel computes at a time.
  func ownKernel(_ request: KernelRequest, _ steps: ImageEpilogue) -> Kernel? {
    guard rows >= Self.leastOwnRows, let description = description(request, steps) else {
      return nil
    }
    return kernel(request, description, steps.residual?.input, source: .float32)
  }

  /// Describes the product as a 1 × 1 convolution with one pixel per row. Nil if our kernels do not have the function,
  /// or if the residual has another shape than the result.
  private func description(_ request: KernelRequest, _ steps: ImageEpilogue?) -> ck_convolution? {
    guard rows <= Int(Int32.max) else { return nil }
    var description = ck_convolution()
    (description.batch, description.input_height, description.output_height) = (1, 1, 1)
    description.input_width = Int64(rows)
    description.output_width = Int64(rows)
    description.input_channels = Int64(inner)
    description.output_channels = Int64(columns)
    (description.kernel_height, description.kernel_width) = (1, 1)
    (description.stride_height, description.stride_width) = (1, 1)
    (description.dilation_height, description.dilation_width) = (1, 1)
    description.upsample = 1
    // The weights of a transposed convolution are in the order `[inputs, outputs]`, those of a convolution in the order
    // `[outputs, inputs]`.
    description.deconvolution = isMatrixTransposed ? 0 : 1
    description.source_type = CK_F32
    description.destination_type = CK_F32
    description.has_bias = hasBias ? 1 : 0
    guard let steps else { return description }
    guard let function = steps.uniformFunction else { return nil }
    (description.activation, description.alpha, description.beta) = function
    description.rounds = steps.rounds ? 1 : 0
    guard let residual = steps.residual else { return description }
    guard residual.offset == CropOperator.Offset(),
      request.inputs[residual.input].shape == request.outputs[0].shape
    else { return nil }
    description.has_residual = 1
    return description
  }

  private func kernel(
    _ request: KernelRequest, _ description: ck_convolution, _ residual: Int?, source: ElementType
  ) -> Kernel? {
    var description: ck_convolution = description
    description.has_float16_weights = request.hasFloat16Weights
    guard let matrix: Constant = request.constant(1),
      let plan = DirectConvolutionPlan(&description)
    else { return nil }
    let packed: PackedWeight = plan.packed(matrix, in: request.weights)
    let packedBias =
      hasBias ? request.constant(2).map { request.weights.floats(of: [$0]) } : nil
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[0] = TensorDescriptor(request.inputs[0].shape, source)
    inputs[1] = nil
    if packedBias != nil { inputs[2] = nil }
    let step = ConvolvedRowsStep(
      plan, packed, bias: hasBias ? StepOperand(packedBias, or: 2) : nil, residual: residual,
      threads: request.threads)
    return Kernel(
      step, inputs: inputs, outputs: [TensorDescriptor(request.outputs[0].shape)],
      weights: [packed, packedBias].compactMap { $0 }, scratchByteCount: step.scratchByteCount,
      inPlaceInput: residual)
  }

  /// Packed pairs take four bytes for each weight, so a matrix that a file stores in fewer than two is not packed.
  private func isWorthPairing(_ request: KernelRequest) -> Bool {
    if request.processor.emulatesMatrixTiles { return true }
    guard rows >= 16, rows * inner * columns >= Self.leastTileMultiplyAdds,
      let matrix = request.constant(1)
    else { return false }
    return matrix.stored.map { $0.byteCount >= matrix.count * 2 } ?? true
  }

  private func isWorthRounding(_ request: KernelRequest) -> Bool {
    // Emulated tiles are for tests, which use this kernel for products of every size.
    request.processor.emulatesMatrixTiles || inner * columns >= Self.leastBFloat16Weights
      || rows >= 16 && rows * inner * columns >= Self.leastTileMultiplyAdds
  }
}

/// Computes a product of rows as a convolution.
private final class ConvolvedRowsStep: Step, @unchecked Sendable {
  private let plan: DirectConvolutionPlan
  private let weights: PackedWeight
  private let bias: StepOperand?
  private let residual: Int?
  private let threads: Int
  let scratchByteCount: Int

  init(
    _ plan: DirectConvolutionPlan, _ weights: PackedWeight, bias: StepOperand?, residual: Int?,
    threads: Int
  ) {
    self.plan = plan
    self.weights = weights
    self.bias = bias
    self.residual = residual
    self.threads = threads
    scratchByteCount = plan.scratchByteCount(threads: threads)
  }

  override var detail: String { String(cString: ck_convolution_name(plan.handle)) }

  override func run(_ memory: StepMemory) throws {
    var arguments = ck_convolution_arguments()
    arguments.source = UnsafeRawPointer(memory.inputs[0])
    arguments.weights = UnsafeRawPointer(weights.pointer)
    // Safe: shape inference checked that there is one float per column.
    arguments.bias = bias.map {
      UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self))
    }
    // Safe: the residual has the shape of the result.
    if let residual { arguments.residual = UnsafeRawPointer(memory.inputs[residual]) }
    arguments.destination = memory.outputs[0]
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    requireNative(ck_convolution_run(plan.handle, &arguments))
  }
}
