import Backends
import COneDNN
import Operators

extension GramMatrixGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("oneDNN matrix product") { try libraryKernel($0) }]
  }

  /// Makes a kernel for `X S`, where `X` is a channels-last image as a matrix `[pixels, channels]`. Scratch memory
  /// holds `S = factor · (∂G + ∂Gᵀ)`, where `∂G` is the gradient of the Gram matrix.
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
      isBFloat16: source.storage == .bfloat16)
    return Kernel(
      step, inputs: [source, TensorDescriptor(request.inputs[1].shape)], outputs: [source],
      scratchByteCount: step.scratchByteCount)
  }
}

/// Computes the symmetric matrix `S` and multiplies by `S`. The scratch memory holds the library's own scratch memory,
/// then the matrices `S`.
private final class GramGradientStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let batch: Int
  private let channels: Int
  private let factor: Float
  private let isBFloat16: Bool
  private let offset: Int
  let scratchByteCount: Int

  init(_ primitive: DNNPrimitive, batch: Int, channels: Int, factor: Float, isBFloat16: Bool) {
    self.primitive = primitive
    self.batch = batch
    self.channels = channels
    self.factor = factor
    self.isBFloat16 = isBFloat16
    offset = primitive.scratchByteCount.roundedToLine
    scratchByteCount = offset + batch * channels * channels * (isBFloat16 ? 2 : 4)
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
          if isBFloat16 {
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
