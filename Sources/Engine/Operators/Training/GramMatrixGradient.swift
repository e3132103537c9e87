import COneDNN
import Backends
import Graph

/// The gradient of a Gram matrix with respect to the features.
///
///     ∂x[n, i, p] = factor · Σ (∂G[n, i, k] + ∂G[n, k, i]) · x[n, k, p]     over channels k
///
/// - Inputs: the features `[…, C, H, W]`, and `∂G [N, C, C]`. Output: the features' shape.
///
/// Made by differentiation only.
///
/// **Source:** as ``GramMatrixOperator``.
public struct GramMatrixGradientOperator: DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "GramMatrixGradient", specification: nil,
    summary: "what a Gram matrix's gradient asks of features")

  /// The factor of the Gram matrix.
  public var factor: Double

  /// The gradient of Gram matrices with a factor.
  public init(factor: Double) { self.factor = factor }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    let map = try FeatureMap(inputs[0].shape)
    let expected: Shape = [map.batch, map.channels, map.channels]
    guard inputs[1].shape == expected else {
      throw EngineError(
        .invalidInput, "the matrix's gradient is \(inputs[1].shape), expected \(expected).")
    }
    return [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let features = inputs[0].values
    let gradient = inputs[1].values
    var result = ReferenceTensor(inputs[0].shape)
    for n in 0..<map.batch {
      for i in 0..<map.channels {
        for pixel in 0..<map.area {
          var sum: Double = 0
          for k in 0..<map.channels {
            let row: Int = (n * map.channels + i) * map.channels + k
            let column: Int = (n * map.channels + k) * map.channels + i
            sum += (gradient[row] + gradient[column]) * features[map.offset(n, k, 0, 0) + pixel]
          }
          result.values[map.offset(n, i, 0, 0) + pixel] = factor * sum
        }
      }
    }
    return [result]
  }

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

  public static var samples: [OperatorSample] {
    let half = GramMatrixGradientOperator(factor: 0.5)
    return [
      // By hand: S = 0.5 · ([1, 2; 4, 3] + its transpose) = [1, 3; 3, 3].
      OperatorSample(
        "two channels of two pixels", derived: half,
        inputs: [([1, 2, 1, 2], .values([1, 2, 3, 4])), ([1, 2, 2], .values([1, 2, 4, 3]))],
        expected: [ReferenceTensor([1, 2, 1, 2], [10, 14, 12, 18])], tolerance: .accumulation),
      OperatorSample(
        "32 channels, batch of two", derived: half,
        inputs: [([2, 32, 5, 7], .uniform(-1...1)), ([2, 32, 32], .uniform(-1...1))],
        tolerance: .accumulation),
      OperatorSample(
        "another number of channels", derived: half,
        inputs: [([1, 2, 1, 2], .uniform(-1...1)), ([1, 3, 3], .uniform(-1...1))],
        failure: "expected 1 × 2 × 2"),
    ]
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
