import COneDNN
import Backends
import Graph

extension BatchedMatMulOperator {
  public var kernels: [KernelCandidate] {
    switch right {
    case .constant(let weights, let bias):
      return [
        KernelCandidate("oneDNN matrix product") { (request: KernelRequest) -> Kernel? in
          try packedProduct(
            request, rows: request.inputs[0].shape.count / weights.shape[1],
            inner: weights.shape[1], columns: weights.shape[0], transposed: weights, bias: bias)
        }
      ]
    case .input:
      return [KernelCandidate("oneDNN matrix products") { [self] in try productKernel($0) }]
    }
  }

  /// Both inputs of the same leading dimensions, or one of them with none to speak of. Dense
  /// `float32`.
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
      ProductStep(primitive),
      inputs: request.inputs.map { TensorDescriptor($0.shape) },
      outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: primitive.scratchByteCount)
  }
}

/// Runs a product of two inputs.
private final class ProductStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive

  init(_ primitive: DNNPrimitive) { self.primitive = primitive }

  override var detail: String { primitive.implementation }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    guard let state = memory.state else { preconditionFailure("a session keeps its state") }
    // Safe: the state is what makeState() returned.
    try unsafeDowncast(state, to: DNNExecution.self).run(
      source: memory.inputs[0], weights: memory.inputs[1], destination: memory.outputs[0],
      scratch: memory.scratch)
  }
}
