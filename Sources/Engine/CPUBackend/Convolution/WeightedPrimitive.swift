import Backends
import COneDNN
import Graph

/// A oneDNN primitive with its weights and an optional bias.
///
/// Constant weights are packed once for the network. Weights that are not constant are packed by every run, into
/// scratch memory. The scratch memory holds first the library's own scratch memory, then the packed weights, then the
/// rearranged weights.
package struct WeightedPrimitive: Sendable {
  /// How weights are rearranged before they are packed.
  package enum Order: Sendable {
    case plain
    case mirrored(MirroredWeights)
  }

  package let primitive: DNNPrimitive
  /// The packed weights. Nil if the weights are not constant.
  package let packed: PackedWeight?
  private let order: Order
  private let weightsInput: Int
  private let biasInput: Int?
  private let packedOffset: Int
  private let rearrangedOffset: Int
  /// The size of the scratch memory for one run, in bytes.
  package let scratchByteCount: Int

  /// Creates a primitive whose weights are an input of the request. `order` says how the weights are rearranged into
  /// the order that `adnn_pack_weights` reads.
  package init(
    _ primitive: DNNPrimitive, _ request: KernelRequest, weights: Int = 1, bias: Int?,
    order: Order = .plain
  ) {
    self.primitive = primitive
    self.order = order
    weightsInput = weights
    biasInput = bias
    packedOffset = primitive.scratchByteCount.roundedToLine
    rearrangedOffset = packedOffset + primitive.weightsByteCount.roundedToLine
    guard let constant = request.constant(weights) else {
      packed = nil
      scratchByteCount = rearrangedOffset + (order.mirror.map { $0.count * 4 } ?? 0)
      return
    }
    scratchByteCount = primitive.scratchByteCount
    packed = primitive.packed(
      [constant], in: request.weights,
      rearrange: order.mirror.map { mirror in (mirror.form, { mirror.mirrored($0) }) })
  }

  /// The text that listings add to the kernel's name.
  package var detail: String {
    primitive.implementation + (packed == nil ? ", weights packed at every run" : "")
  }

  /// The packed weights as a list, which is empty if the weights are not constant.
  package var weights: [PackedWeight] { packed.map { [$0] } ?? [] }

  /// Returns the form in which runs read the weights input, followed by the form of the bias if there is one. The form
  /// of the weights input is nil if the weights are constant, because runs then read ``packed`` instead.
  package func forms(_ request: KernelRequest) -> [TensorDescriptor?] {
    let weights: TensorDescriptor? =
      packed == nil ? TensorDescriptor(request.inputs[weightsInput].shape) : nil
    return [weights] + (biasInput.map { [TensorDescriptor(request.inputs[$0].shape)] } ?? [])
  }

  /// Runs the primitive on a source and a destination. `scratch` has ``scratchByteCount`` bytes.
  package func run(
    _ memory: StepMemory, source: UnsafeRawPointer, destination: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) throws {
    // Safe: the state comes from makeState(). If this method uses the offsets, the scratch memory is large enough for
    // them (``scratchByteCount``). Bias and variable weights are dense float32.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    let bias: UnsafePointer<Float>? = biasInput.map {
      UnsafePointer(memory.inputs[$0].assumingMemoryBound(to: Float.self))
    }
    if let packed {
      return try execution.run(
        source: source, weights: packed.pointer, bias: bias, destination: destination,
        scratch: scratch)
    }
    var weights = UnsafePointer(memory.inputs[weightsInput].assumingMemoryBound(to: Float.self))
    if let mirror = order.mirror {
      let rearranged = (scratch + rearrangedOffset).assumingMemoryBound(to: Float.self)
      mirror.mirror(weights, into: rearranged)
      weights = UnsafePointer(rearranged)
    }
    let packed: UnsafeMutableRawPointer = scratch + packedOffset
    try primitive.pack(weights, into: packed)
    try execution.run(
      source: source, weights: packed, bias: bias, destination: destination, scratch: scratch)
  }
}

extension WeightedPrimitive.Order {
  fileprivate var mirror: MirroredWeights? {
    if case .mirrored(let order) = self { return order }
    return nil
  }
}
