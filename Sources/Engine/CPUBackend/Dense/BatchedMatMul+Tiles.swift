import Backends
import CKernels
import Graph
import Operators

extension BatchedMatMulOperator {
  /// If two variable matrices need at least this number of multiply-adds, they are multiplied in `bfloat16`.
  private static let leastTileMultiplyAdds: Int = 1 << 20

  /// Makes a kernel for matrix products on matrix tiles, for two inputs with the same leading dimensions. One of the
  /// inputs may instead have only leading dimensions of 1. Inputs and outputs are dense `float32`. Each run rounds the
  /// operands to `bfloat16` while it packs them. Sums are `float32`. A constant right matrix is packed once for the
  /// network.
  func tileKernel(_ request: KernelRequest) throws -> Kernel? {
    guard request.precision == .bfloat16, let tiles = request.ownTiles else { return nil }
    let product = try product(request.inputs[0].shape, request.inputs[1].shape)
    if !transposesLeft,
      let rows = RowsProduct(request, product, isMatrixTransposed: transposesRight)
    {
      return rows.tileKernel(request)
    }
    let batch: Int = product.batch.count
    let isLeftOne: Bool = product.leftBatch.count == 1
    let isRightOne: Bool = product.rightBatch.count == 1
    guard product.output.count > 0, product.inner > 0,
      isLeftOne || product.leftBatch == product.batch,
      isRightOne || product.rightBatch == product.batch,
      request.processor.emulatesMatrixTiles
        || product.rows >= 16 && product.columns >= 16
          && product.output.count >= Self.leastTileMultiplyAdds / product.inner
    else { return nil }
    let description = ck_tile_matmul(
      batch: Int64(batch), rows: Int64(product.rows), inner: Int64(product.inner),
      columns: Int64(product.columns), transpose_left: transposesLeft ? 1 : 0,
      transpose_right: transposesRight ? 1 : 0, one_left: isLeftOne ? 1 : 0,
      one_right: isRightOne ? 1 : 0, matrix_tiles: tiles)
    let threads = Int32(request.threads)
    let scratch: Int = withUnsafePointer(to: description) {
      ck_tile_matmul_scratch_bytes($0, threads)
    }
    guard scratch > 0 else { return nil }
    let step = ClosureStep { memory in
      withUnsafePointer(to: description) { description in
        // Safe: the planner supplies dense float32 memory of the planned shapes.
        requireNative(
          ck_tile_matmul_run(
            description, memory.inputs[0].assumingMemoryBound(to: Float.self),
            memory.inputs[1].assumingMemoryBound(to: Float.self),
            memory.outputs[0].assumingMemoryBound(to: Float.self), memory.scratch, threads))
      }
    }
    return Kernel(
      step, inputs: request.inputs.map { TensorDescriptor($0.shape) },
      outputs: [TensorDescriptor(request.outputs[0].shape)], scratchByteCount: scratch)
  }
}
