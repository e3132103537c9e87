import Backends
import CKernels
import Graph
import Operators

extension KernelCandidate {
  /// A product of rows with a constant matrix `[columns, inner]` on matrix tiles, plus shifts of the columns
  /// where there is a third input.
  static func rowsOnTiles(_ epilogue: ProductEpilogue?) -> KernelCandidate {
    KernelCandidate("matrix product on matrix tiles") { request in
      guard let epilogue else { return RowsProduct(request)?.tileKernel(request) }
      guard case .activation(let activation) = epilogue, let function = activation.uniformFunction
      else { return nil }
      return RowsProduct(request)?.tileKernel(request, function)
    }
  }
}

extension RowsProduct {
  /// From how many products on a smaller matrix is multiplied in `bfloat16`, too.
  private static let leastTileProducts: Int = 1 << 22

  /// Our own product on matrix tiles: rows are the pixels of a convolution of 1 × 1. Rows are asked for in
  /// `bfloat16`; sums and the output are `float32`. Nil where the matrix changes, or where `float32` is
  /// preferred.
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
    // A transposed convolution's weights lie the other way round.
    description.deconvolution = isMatrixTransposed ? 0 : 1
    description.source_type = CK_BF16
    description.destination_type = CK_F32
    description.has_bias = hasBias ? 1 : 0
    description.activation = activation.function
    description.alpha = activation.alpha
    description.beta = activation.beta
    description.tiles = tiles
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
    // Tests shall see all samples on acted tiles.
    request.processor.actsMatrixTiles || inner * columns >= Self.leastBFloat16Weights
      || rows >= 16 && rows * inner * columns >= Self.leastTileProducts
  }
}

/// Runs a product of rows as a convolution.
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
    // Safe: the type rule made sure of one float a column.
    arguments.bias = bias.map {
      UnsafePointer($0.pointer(memory).assumingMemoryBound(to: Float.self))
    }
    arguments.destination = memory.outputs[0]
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    requireNative(ck_convolution_run(plan.handle, &arguments))
  }
}
