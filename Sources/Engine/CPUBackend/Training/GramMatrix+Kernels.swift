import Backends
import COneDNN
import Operators

extension GramMatrixOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("oneDNN matrix product") { try libraryKernel($0) }]
  }

  /// Makes a kernel for `Xᵀ X`, where `X` is a channels-last image as a matrix `[pixels, channels]`. `X` is bfloat16 if
  /// the plan allows it.
  private func libraryKernel(_ request: KernelRequest) throws -> Kernel? {
    let source = request.followed(layout: .channelsLast)
    let map = FeatureMap(ofRankThreeOrMore: source.shape)
    let scale = Float(factor)
    let primitive = try DNNPrimitive.make { result -> adnn_status in
      var description = adnn_matmul()
      description.batch = Int64(map.batch)
      description.rows = Int64(map.channels)
      description.inner = Int64(map.area)
      description.columns = Int64(map.channels)
      description.transpose_source = 1
      description.source_type = source.storage == .bfloat16 ? ADNN_BF16 : ADNN_F32
      description.weights_type = description.source_type
      description.destination_type = ADNN_F32
      var scaling = adnn_post_op()
      scaling.kind = ADNN_LINEAR
      scaling.alpha = scale
      return withUnsafePointer(to: scaling) { operations in
        description.post_ops = operations
        description.post_op_count = 1
        return adnn_matmul_create(&description, result)
      }
    }
    guard let primitive else { return nil }
    return Kernel(
      GramStep(primitive), inputs: [source], outputs: [TensorDescriptor(request.outputs[0].shape)],
      scratchByteCount: primitive.scratchByteCount)
  }
}

/// Multiplies the transposed feature matrix by the feature matrix.
private final class GramStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive

  init(_ primitive: DNNPrimitive) { self.primitive = primitive }

  override var detail: String { primitive.implementation }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state comes from makeState().
    try unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self).run(
      source: memory.inputs[0], weights: memory.inputs[0], destination: memory.outputs[0],
      scratch: memory.scratch)
  }
}

extension KernelRequest {
  /// Returns an input's form in the given layout. The type is bfloat16 if the input's producer and the plan use
  /// bfloat16. Otherwise it is float32.
  func followed(_ index: Int = 0, layout: Layout) -> TensorDescriptor {
    var form = followed(index)
    form.layout = layout
    return form
  }
}
