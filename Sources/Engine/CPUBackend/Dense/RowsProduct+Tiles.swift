import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// Returns the candidate for the product of rows with a constant matrix `[columns, inner]` on matrix tiles. If there
  /// is a third input, the kernel adds a bias per column.
  static func rowsOnTiles(_ epilogue: Epilogue?) -> KernelCandidate {
    KernelCandidate("matrix product on matrix tiles") { request in
      guard let epilogue else { return RowsProduct(request)?.tileKernel(request) }
      guard let function = epilogue.uniformFunction else { return nil }
      return RowsProduct(request)?.tileKernel(request, function)
    }
  }
}

extension RowsProduct {
  /// A matrix with fewer weights than ``leastBFloat16Weights`` is multiplied in `bfloat16`, too, if the product has at
  /// least this number of multiply-adds and at least 16 rows.
  private static let leastTileMultiplyAdds: Int = 1 << 22

  /// Makes our own kernel on matrix tiles. The kernel computes the product as a 1 × 1 convolution with one pixel per
  /// row. Rows are read in `bfloat16`. Sums and the output are `float32`. Nil if the matrix is not constant or
  /// `float32` is preferred.
  func tileKernel(
    _ request: KernelRequest,
    _ activation: (function: ck_function, alpha: Float, beta: Float) = (CK_IDENTITY, 0, 0)
  ) -> Kernel? {
    guard request.precision == .bfloat16, let tiles = request.ownTiles,
      let matrix: Constant = request.constant(1), rows <= Int(Int32.max), isWorthRounding(request)
    else { return nil }
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
    description.source_type = CK_BF16
    description.destination_type = CK_F32
    description.has_bias = hasBias ? 1 : 0
    description.activation = activation.function
    description.alpha = activation.alpha
    description.beta = activation.beta
    description.matrix_tiles = tiles
    guard let plan = DirectConvolutionPlan(&description) else { return nil }
    let packed: PackedWeight = plan.packed(matrix, in: request.weights)
    let packedBias = request.constant(2).map { request.weights.floats(of: [$0]) }
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[0] = TensorDescriptor(request.inputs[0].shape, .bfloat16)
    inputs[1] = nil
    if packedBias != nil { inputs[2] = nil }
    let step = TileRowsStep(
      plan, packed, bias: hasBias ? StepOperand(packedBias, or: 2) : nil, threads: request.threads)
    return Kernel(
      step, inputs: inputs, outputs: [TensorDescriptor(request.outputs[0].shape)],
      weights: [packed, packedBias].compactMap { $0 }, scratchByteCount: step.scratchByteCount)
  }

  private func isWorthRounding(_ request: KernelRequest) -> Bool {
    // Emulated tiles are for tests, which use this kernel for products of every size.
    request.processor.emulatesMatrixTiles || inner * columns >= Self.leastBFloat16Weights
      || rows >= 16 && rows * inner * columns >= Self.leastTileMultiplyAdds
  }
}

/// Computes a product of rows as a convolution.
private final class TileRowsStep: Step, @unchecked Sendable {
  private let plan: DirectConvolutionPlan
  private let weights: PackedWeight
  private let bias: StepOperand?
  private let threads: Int
  let scratchByteCount: Int

  init(
    _ plan: DirectConvolutionPlan, _ weights: PackedWeight, bias: StepOperand?, threads: Int
  ) {
    self.plan = plan
    self.weights = weights
    self.bias = bias
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
    arguments.destination = memory.outputs[0]
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    requireNative(ck_convolution_run(plan.handle, &arguments))
  }
}
