import COneDNN
import Operators

extension BatchedMatMulOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    if multipliesRows {
      return [.dynamicProduct([])] + KernelCandidate.rowsProducts(nil) + [
        .ownRowsProduct([]), .integerProduct(self),
      ]
    }
    let isProductOfRows: Bool = !transposesLeft && transposesRight
    let quantizing: KernelCandidate = .dynamicProduct { [self] in try rowsProduct($0) }
    return [quantizing] + (isProductOfRows ? [.storedProduct()] : []) + [
      KernelCandidate("matrix products on matrix tiles") { [self] in try tileKernel($0) },
      KernelCandidate("oneDNN product with a constant matrix") { [self] in
        try constantKernel($0)
      },
      KernelCandidate("oneDNN matrix products") { [self] in try productKernel($0) },
      .integerProduct(self),
    ]
  }

  /// Makes a kernel for a constant right matrix, which is packed once for the network.
  private func constantKernel(_ request: KernelRequest) throws -> Kernel? {
    try rowsProduct(request)?.kernel(request)
  }

  /// Returns the product with a constant right matrix. Nil if the right matrix is not constant, or if the left matrices
  /// are transposed.
  private func rowsProduct(_ request: KernelRequest) throws -> RowsProduct? {
    guard !transposesLeft else { return nil }
    let product = try product(request.inputs[0].shape, request.inputs[1].shape)
    return RowsProduct(request, product, isMatrixTransposed: transposesRight)
  }

  /// Makes a kernel for two inputs with the same leading dimensions. One of the inputs may instead have only leading
  /// dimensions of 1. Tensors are dense `float32`.
  private func productKernel(_ request: KernelRequest) throws -> Kernel? {
    let product = try product(request.inputs[0].shape, request.inputs[1].shape)
    let batch: Int = product.batch.count
    let isLeftOne: Bool = product.leftBatch.count == 1 && batch != 1
    let isRightOne: Bool = product.rightBatch.count == 1 && batch != 1
    guard product.output.count > 0, product.inner > 0,
      isLeftOne || product.leftBatch == product.batch,
      isRightOne || product.rightBatch == product.batch,
      let primitive = try DNNPrimitive.make({ (result) -> adnn_status in
        var description = adnn_matmul()
        description.batch = Int64(batch)
        description.rows = Int64(product.rows)
        description.inner = Int64(product.inner)
        description.columns = Int64(product.columns)
        description.transpose_source = transposesLeft ? 1 : 0
        description.transpose_weights = transposesRight ? 1 : 0
        description.broadcast_source = isLeftOne ? 1 : 0
        description.broadcast_weights = isRightOne ? 1 : 0
        description.source_type = ADNN_F32
        description.weights_type = ADNN_F32
        description.destination_type = ADNN_F32
        return adnn_matmul_create(&description, result)
      })
    else { return nil }
    return Kernel(
      MatrixProductStep(primitive, matrix: .input(1)),
      inputs: request.inputs.map { TensorDescriptor($0.shape) },
      outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: primitive.scratchByteCount)
  }
}

extension FusedProduct: KernelProvider {
  public var kernels: [KernelCandidate] {
    let own: KernelCandidate = .ownRowsProduct(epilogue)
    let quantizing: KernelCandidate = .dynamicProduct(epilogue)
    if epilogue.count == 1, let function = epilogue.first, function.postOps != nil {
      return [quantizing] + KernelCandidate.rowsProducts(function) + [own]
    }
    let library = KernelCandidate("oneDNN matrix product, then its epilogue") { [self] request in
      let part: KernelRequest = request.withoutInputs(
        from: coreInputCount(of: request.inputs.count))
      return try RowsProduct(part)?.kernel(part)?.followed(by: epilogue, of: request)
    }
    return [
      quantizing, .rowsInPairs(epilogue), .storedPanels(epilogue), .rowsOnTiles(epilogue), own,
      library,
    ]
  }
}

extension InnerProductOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.dynamicProduct([])] + KernelCandidate.rowsProducts(nil) + [.ownRowsProduct([])]
  }
}

extension KernelCandidate {
  /// Returns the candidates for the product of rows with a matrix `[columns, inner]`, followed by a function; nil for
  /// none.
  fileprivate static func rowsProducts(_ epilogue: Epilogue?) -> [KernelCandidate] {
    let library = KernelCandidate("oneDNN matrix product") { request in
      guard let epilogue else { return try RowsProduct(request)?.kernel(request) }
      guard let operations = epilogue.postOps else { return nil }
      return try RowsProduct(request, postOps: operations)?.kernel(request)
    }
    let all: [Epilogue] = epilogue.map { [$0] } ?? []
    return [
      .storedProduct(epilogue), .rowsInPairs(all), .storedPanels(all), .rowsOnTiles(all), library,
    ]
  }
}
