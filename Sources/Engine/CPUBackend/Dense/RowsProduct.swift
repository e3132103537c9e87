import COneDNN
import Operators

/// The product of the first input's rows and the second input's matrix. If there is a third input, it is a bias per
/// column, which is added to each row.
///
/// Tensors are dense. A constant matrix is packed once. If the plan allows `bfloat16` and the processor is faster in
/// it, a constant matrix of at least ``leastBFloat16Weights`` values is packed as `bfloat16`, and the rows are read in
/// `bfloat16`, too. Sums and the output are `float32`.
struct RowsProduct {
  /// If `bfloat16` is allowed, a matrix with at least this many weights is read in `bfloat16`. With fewer weights,
  /// reading memory takes little time, and `float32` is more accurate.
  static let leastBFloat16Weights: Int = 1 << 18

  let rows: Int, inner: Int, columns: Int
  /// Whether the matrix is `[columns, inner]`. Otherwise, it is `[inner, columns]`.
  let isMatrixTransposed: Bool
  /// Whether the third input holds one bias per column.
  let hasBias: Bool
  private let postOps: [adnn_post_op]

  /// Creates a product with a matrix `[columns, inner]`. Nil if there is nothing to multiply.
  init?(_ request: KernelRequest, postOps: [adnn_post_op] = []) {
    let matrix: Shape = request.inputs[1].shape
    (columns, inner) = (matrix[0], matrix[1])
    guard inner > 0, columns > 0 else { return nil }
    rows = request.inputs[0].shape.count / inner
    isMatrixTransposed = true
    hasBias = request.inputs.count > 2
    self.postOps = postOps
    guard rows > 0 else { return nil }
  }

  /// Creates a product of two inputs. Nil if the second input is not one constant matrix for all rows of the first
  /// input, or if there is nothing to multiply.
  init?(
    _ request: KernelRequest, _ product: BatchedMatMulOperator.Product, isMatrixTransposed: Bool
  ) {
    guard request.constant(1) != nil, product.rightBatch.count == 1, product.output.count > 0,
      product.inner > 0
    else { return nil }
    (rows, inner, columns) = (product.batch.count * product.rows, product.inner, product.columns)
    self.isMatrixTransposed = isMatrixTransposed
    hasBias = false
    postOps = []
  }

  /// Makes oneDNN's kernel. Nil if oneDNN has no such product.
  func kernel(_ request: KernelRequest) throws -> Kernel? {
    let matrix: Constant? = request.constant(1)
    let wantsBFloat16: Bool =
      matrix != nil && request.precision == .bfloat16 && request.processor.prefersBFloat16
      && inner * columns >= Self.leastBFloat16Weights
    for storage: ElementType in wantsBFloat16 ? [.bfloat16, .float32] : [.float32] {
      guard let primitive = try primitive(storage, isConstant: matrix != nil) else { continue }
      let packedMatrix = matrix.map { primitive.packed([$0], in: request.weights) }
      let bias: Constant? = request.constant(2)
      let packedBias = bias.map { request.weights.floats(of: [$0]) }
      var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
      inputs[0] = TensorDescriptor(request.inputs[0].shape, storage)
      if packedMatrix != nil { inputs[1] = nil }
      if packedBias != nil { inputs[2] = nil }
      let step = MatrixProductStep(
        primitive, matrix: StepOperand(packedMatrix, or: 1),
        bias: hasBias ? StepOperand(packedBias, or: 2) : nil)
      return Kernel(
        step, inputs: inputs, outputs: [TensorDescriptor(request.outputs[0].shape)],
        weights: [packedMatrix, packedBias].compactMap { $0 },
        scratchByteCount: primitive.scratchByteCount)
    }
    return nil
  }

  private func primitive(_ storage: ElementType, isConstant: Bool) throws -> DNNPrimitive? {
    guard let type = storage.oneDNN else { return nil }
    return try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_matmul()
      description.batch = 1
      description.rows = Int64(rows)
      description.inner = Int64(inner)
      description.columns = Int64(columns)
      description.transpose_weights = isMatrixTransposed ? 1 : 0
      description.weights_are_constant = isConstant ? 1 : 0
      description.has_bias = hasBias ? 1 : 0
      description.source_type = type
      description.weights_type = type
      description.destination_type = ADNN_F32
      return postOps.withUnsafeBufferPointer { (operations) -> adnn_status in
        description.post_ops = operations.baseAddress
        description.post_op_count = Int32(operations.count)
        return adnn_matmul_create(&description, result)
      }
    }
  }
}
