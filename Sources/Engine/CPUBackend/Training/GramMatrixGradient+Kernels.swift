import Backends
import COneDNN
import Operators

extension GramMatrixGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("oneDNN matrix product") { try libraryKernel($0) }]
  }

  /// `X S` over pixels, channels last, with `S = factor · (∂G + ∂Gᵀ)` made in scratch memory.
  private func libraryKernel(_ request: KernelRequest) throws -> Kernel? {
    let source = request.followed(layout: .channelsLast)
    let map = FeatureMap(ofRankThreeOrMore: source.shape)
    let primitive = try DNNPrimitive.make { result -> adnn_status in
      var description = adnn_matmul()
      description.batch = Int64(map.batch)
      description.rows = Int64(map.area)
      description.inner = Int64(map.channels)
      description.columns = Int64(map.channels)
      description.source_type = source.storage == .bfloat16 ? ADNN_BF16 : ADNN_F32
      description.weights_type = description.source_type
      description.destination_type = description.source_type
      return adnn_matmul_create(&description, result)
    }
    guard let primitive else { return nil }
    let step = GramGradientStep(
      primitive, batch: map.batch, channels: map.channels, factor: Float(factor),
      isShort: source.storage == .bfloat16)
    return Kernel(
      step, inputs: [source, TensorDescriptor(request.inputs[1].shape)], outputs: [source],
      scratchByteCount: step.scratchByteCount)
  }
}

/// Makes the symmetric matrix and multiplies. Scratch memory: the library's, then the matrices.
private final class GramGradientStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let batch: Int
  private let channels: Int
  private let factor: Float
  private let isShort: Bool
  private let offset: Int
  let scratchByteCount: Int

  init(_ primitive: DNNPrimitive, batch: Int, channels: Int, factor: Float, isShort: Bool) {
    self.primitive = primitive
    self.batch = batch
    self.channels = channels
    self.factor = factor
    self.isShort = isShort
    offset = primitive.scratchByteCount.roundedToLine
    scratchByteCount = offset + batch * channels * channels * (isShort ? 2 : 4)
  }

  override var detail: String { primitive.implementation }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the gradient and the scratch memory hold batch · channels² values.
    let gradient = memory.inputs[1].assumingMemoryBound(to: Float.self)
    let matrices: UnsafeMutableRawPointer = memory.scratch + offset
    let floats = matrices.assumingMemoryBound(to: Float.self)
    let shorts = matrices.assumingMemoryBound(to: UInt16.self)
    for n in 0..<batch {
      let base: Int = n * channels * channels
      for i in 0..<channels {
        for k in 0..<channels {
          let position: Int = base + i * channels + k
          let value: Float = factor * (gradient[position] + gradient[base + k * channels + i])
          if isShort {
            shorts[position] = BFloat16.bits(of: value)
          } else {
            floats[position] = value
          }
        }
      }
    }
    try unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self).run(
      source: memory.inputs[0], weights: UnsafeRawPointer(matrices),
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}
