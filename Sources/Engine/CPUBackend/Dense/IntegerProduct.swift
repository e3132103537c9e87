import Backends
import CKernels
import Operators

extension KernelCandidate {
  /// Returns the candidate for matrix products of integers. Both inputs have batches of the same shape, or one input is
  /// a single matrix that serves the whole batch.
  static func integerProduct(_ layer: BatchedMatMulOperator) -> KernelCandidate {
    KernelCandidate("native integer matrix product", elements: [.int32, .int64]) { request in
      guard request.inputs.count == 2, request.outputs[0].shape.count > 0,
        let product = try layer.integerProduct(request)
      else { return nil }
      let step = ClosureStep { memory in
        withUnsafePointer(to: product) { product in
          // Safe: the planner supplies memory in the kernel's forms, and the strides stay inside this memory.
          requireNative(
            ck_integer_matmul_run(
              product, memory.inputs[0], memory.inputs[1], memory.outputs[0]))
        }
      }
      let output: TensorType = request.outputs[0]
      return Kernel(
        step, inputs: [request.dense(0), request.dense(1)],
        outputs: [TensorDescriptor(output.shape, output.element)])
    }
  }
}

extension BatchedMatMulOperator {
  /// Returns the sizes and the operands' strides. Nil if an operand broadcasts some of its leading dimensions but not
  /// all.
  fileprivate func integerProduct(_ request: KernelRequest) throws -> ck_integer_matmul? {
    let (left, right) = (request.inputs[0].shape, request.inputs[1].shape)
    var result = ck_integer_matmul()
    result.type = request.dense(0).kernelType
    result.saturates = overflow == .saturates ? 1 : 0
    result.batch = 1
    if multipliesRows {
      let (inner, columns) = (Int64(right[1]), Int64(right[0]))
      result.inner = inner
      result.columns = columns
      result.rows = Int64(left.product(0..<left.rank - 1))
      result.left_strides = (0, inner, 1)
      // These strides read the transposed matrix row by row.
      result.right_strides = (0, 1, inner)
      return result
    }
    let product = try product(left, right)
    guard product.leftBatch.count == 1 || product.leftBatch == product.batch,
      product.rightBatch.count == 1 || product.rightBatch == product.batch
    else { return nil }
    let (rows, inner, columns) = (
      Int64(product.rows), Int64(product.inner), Int64(product.columns)
    )
    result.batch = Int64(product.batch.count)
    (result.rows, result.inner, result.columns) = (rows, inner, columns)
    let isLeftOne: Bool = product.leftBatch.count == 1
    let isRightOne: Bool = product.rightBatch.count == 1
    result.left_strides = (
      isLeftOne ? 0 : rows * inner, transposesLeft ? 1 : inner, transposesLeft ? rows : 1
    )
    result.right_strides = (
      isRightOne ? 0 : inner * columns, transposesRight ? 1 : columns, transposesRight ? inner : 1
    )
    return result
  }
}
