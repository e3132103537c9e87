import COneDNN
import Backends
import Graph

/// The Gram matrix of feature maps: how much every two channels fire together, wherever they do.
///
///     G[n, i, j] = factor · Σ x[n, i, y, x] · x[n, j, y, x]
///
/// - Input: `[…, C, H, W]`; leading dimensions are batch `N`. Output: `[N, C, C]`, float32.
///
/// Made by losses; no model holds it.
///
/// **Source:** Gatys, Ecker, Bethge, arXiv:1508.06576; with the factor `1 / (C · H · W)` Johnson et al.,
/// arXiv:1603.08155.
public struct GramMatrixOperator: DerivedOperator, DifferentiableOperator {
  public static let declaration = OperatorDeclaration(
    "GramMatrix", specification: nil, summary: "products of every two channels, summed over pixels")

  /// What the sums are multiplied by.
  public var factor: Double

  /// Gram matrices with a factor.
  public init(factor: Double) { self.factor = factor }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let map = try FeatureMap(OperatorInput.only(inputs).shape)
    return [TensorType([map.batch, map.channels, map.channels])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let features = inputs[0].values
    var result = ReferenceTensor([map.batch, map.channels, map.channels])
    result.shape.forEachIndex { index, position in
      let left: Int = map.offset(index[0], index[1], 0, 0)
      let right: Int = map.offset(index[0], index[2], 0, 0)
      var sum: Double = 0
      for pixel in 0..<map.area { sum += features[left + pixel] * features[right + pixel] }
      result.values[position] = factor * sum
    }
    return [result]
  }

  public var kernels: [KernelCandidate] {
    [KernelCandidate("oneDNN matrix product") { try libraryKernel($0) }]
  }

  /// `Xᵀ X` over pixels, channels last, in bfloat16 where the plan allows it.
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

  /// `∂x = factor · (∂G + ∂Gᵀ) x`.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [
      try context.add(
        GramMatrixGradientOperator(factor: factor), context.inputs[0], context.outputGradient)
    ]
  }

  public static var samples: [OperatorSample] {
    let sixth = GramMatrixOperator(factor: 1.0 / 6)
    return [
      // By hand: rows [1, 2, 3] and [4, 5, 6].
      OperatorSample(
        "two channels of three pixels", derived: sixth,
        inputs: [([1, 2, 1, 3], .values([1, 2, 3, 4, 5, 6]))],
        expected: [ReferenceTensor([1, 2, 2], [14.0 / 6, 32.0 / 6, 32.0 / 6, 77.0 / 6])],
        tolerance: .accumulation),
      OperatorSample(
        "64 channels, batch of two", derived: GramMatrixOperator(factor: 0.01),
        inputs: [([2, 64, 7, 9], .uniform(-1...1))], tolerance: .accumulation),
      OperatorSample(
        "rank three", derived: sixth, inputs: [([5, 4, 4], .uniform(-1...1))],
        tolerance: .accumulation),
      OperatorSample(
        "rank two", derived: sixth, inputs: [([5, 4], .uniform(-1...1))],
        failure: "expected three dimensions or more"),
    ]
  }
}

/// Multiplies features with themselves.
private final class GramStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive

  init(_ primitive: DNNPrimitive) { self.primitive = primitive }

  override var detail: String { primitive.implementation }
  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made.
    try unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self).run(
      source: memory.inputs[0], weights: memory.inputs[0], destination: memory.outputs[0],
      scratch: memory.scratch)
  }
}

extension KernelRequest {
  /// The first input in the given layout, float32 unless both its producer and the plan chose bfloat16.
  package func followed(_ index: Int = 0, layout: Layout) -> TensorDescriptor {
    var form = followed(index)
    form.layout = layout
    return form
  }
}
