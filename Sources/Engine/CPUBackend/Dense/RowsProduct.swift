import COneDNN
import Operators

/// A product of rows, the first input, with a matrix, the second, plus shifts of the columns where there is a
/// third.
///
/// Dense. The matrix is packed once where it is a constant. With `bfloat16` allowed, constant matrices of
/// ``leastBFloat16Weights`` values or more are packed as such and the rows are asked for in it; sums and
/// the output are `float32`.
struct RowsProduct {
  /// From how many weights on a product reads `bfloat16`: below, memory is no concern and `float32` is
  /// exacter.
  static let leastBFloat16Weights: Int = 1 << 18

  let rows: Int, inner: Int, columns: Int
  let isMatrixTransposed: Bool
  let hasBias: Bool
  private let postOps: [adnn_post_op]

  /// A product with a matrix `[columns, inner]`. Nil where there is nothing to multiply.
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

  /// A product of two inputs of which the second is one constant matrix for all rows of the first. Nil where
  /// it is none, or where there is nothing to multiply.
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

  /// Nil where oneDNN has no such product.
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
