import COneDNN
import Backends
import Graph

extension InnerProductOperator {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("oneDNN matrix product") { [self] (request: KernelRequest) -> Kernel? in
        var operations: [adnn_post_op] = []
        if let activation {
          guard let fused = activation.postOps else {
            return nil
          }
          operations = fused
        }
        guard let weights else { return try movingProduct(request, operations) }
        guard !takesBiasInput else { return nil }
        return try packedProduct(
          request, rows: request.inputs[0].shape.count / inputChannels, inner: inputChannels,
          columns: outputChannels, transposed: weights, bias: bias, postOps: operations)
      }
    ]
  }

  /// A product with a matrix that changes from run to run; dense `float32`.
  private func movingProduct(_ request: KernelRequest, _ operations: [adnn_post_op]) throws
    -> Kernel?
  {
    let rows: Int = request.inputs[0].shape.count / inputChannels
    guard rows > 0 else { return nil }
    let primitive = try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_matmul()
      description.batch = 1
      description.rows = Int64(rows)
      description.inner = Int64(inputChannels)
      description.columns = Int64(outputChannels)
      description.transpose_weights = 1
      description.has_bias = takesBiasInput || bias != nil ? 1 : 0
      description.source_type = ADNN_F32
      description.weights_type = ADNN_F32
      description.destination_type = ADNN_F32
      return operations.withUnsafeBufferPointer { (operations) -> adnn_status in
        description.post_ops = operations.baseAddress
        description.post_op_count = Int32(operations.count)
        return adnn_matmul_create(&description, result)
      }
    }
    guard let primitive else { return nil }
    let step = MovingProductStep(
      primitive, bias: try bias.map { try AlignedBuffer(try $0.floats()) },
      takesBias: takesBiasInput)
    return Kernel(
      step, inputs: request.inputs.map { TensorDescriptor($0.shape) },
      outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: primitive.scratchByteCount)
  }
}

/// Runs a product of the first two inputs, with shifts from the third or from the model.
private final class MovingProductStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let bias: AlignedBuffer?
  private let takesBias: Bool

  init(_ primitive: DNNPrimitive, bias: AlignedBuffer?, takesBias: Bool) {
    self.primitive = primitive
    self.bias = bias
    self.takesBias = takesBias
  }

  override var detail: String { primitive.implementation }
  override var constantByteCount: Int { bias?.byteCount ?? 0 }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made; the shape rule made sure of one shift a column.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    let shifts: UnsafePointer<Float>? =
      takesBias
      ? UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self))
      : bias.map { UnsafePointer($0.floats) }
    try execution.run(
      source: memory.inputs[0], weights: memory.inputs[1], bias: shifts,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}

/// From how many weights on a product reads `bfloat16`: below, memory is no concern and `float32` is
/// exacter.
private let leastBFloat16Weights: Int = 1 << 18

/// A product of a dense matrix and constant weights, packed once.
///
/// With `bfloat16` allowed, weights of `leastBFloat16Weights` or more are packed as such and the
/// left matrix is asked for in it; sums and the output are `float32`.
package func packedProduct(
  _ request: KernelRequest, rows: Int, inner: Int, columns: Int, transposed weights: Weights,
  bias: Weights?, postOps: [adnn_post_op] = []
) throws -> Kernel? {
  guard rows > 0 else { return nil }
  let wantsBFloat16: Bool =
    request.precision == .bfloat16 && request.processor.prefersBFloat16
    && inner * columns >= leastBFloat16Weights
  for storage: ElementType in wantsBFloat16 ? [.bfloat16, .float32] : [.float32] {
    guard let type = storage.oneDNN else { continue }
    let primitive = try DNNPrimitive.make { (result) -> adnn_status in
      var description = adnn_matmul()
      description.batch = 1
      description.rows = Int64(rows)
      description.inner = Int64(inner)
      description.columns = Int64(columns)
      description.transpose_weights = 1
      description.weights_are_constant = 1
      description.has_bias = bias == nil ? 0 : 1
      description.source_type = type
      description.weights_type = type
      description.destination_type = ADNN_F32
      return postOps.withUnsafeBufferPointer { (operations) -> adnn_status in
        description.post_ops = operations.baseAddress
        description.post_op_count = Int32(operations.count)
        return adnn_matmul_create(&description, result)
      }
    }
    guard let primitive else { continue }
    let step = DNNStep(
      primitive, weights: try primitive.pack(try weights.floats()),
      bias: try bias.map { try AlignedBuffer(try $0.floats()) })
    return Kernel(
      step, inputs: [TensorDescriptor(request.inputs[0].shape, storage)],
      outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: primitive.scratchByteCount)
  }
  return nil
}
