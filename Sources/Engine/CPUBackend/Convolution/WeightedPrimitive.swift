import Backends
import COneDNN
import Graph

/// A oneDNN primitive with the weights, and perhaps the bias, that it reads beside the picture.
///
/// Constant weights are packed once for the network. Others are packed at every run, into scratch memory:
/// the library's own comes first, then the packed weights, then those that were turned before.
package struct WeightedPrimitive: Sendable {
  /// How weights are turned before they are packed.
  package enum Order: Sendable {
    case plain
    case mirrored(MirroredWeights)
  }

  package let primitive: DNNPrimitive
  /// The packed weights; nil where they change.
  package let packed: PackedWeight?
  private let order: Order
  private let weightsInput: Int
  private let biasInput: Int?
  private let packedOffset: Int
  private let turnedOffset: Int
  /// Memory for one run, in bytes.
  package let scratchByteCount: Int

  /// A primitive whose weights are an input of the request, in the order of `adnn_pack_weights` once they
  /// are turned.
  package init(
    _ primitive: DNNPrimitive, _ request: KernelRequest, weights: Int = 1, bias: Int?,
    order: Order = .plain
  ) {
    self.primitive = primitive
    self.order = order
    weightsInput = weights
    biasInput = bias
    packedOffset = primitive.scratchByteCount.roundedToLine
    turnedOffset = packedOffset + primitive.weightsByteCount.roundedToLine
    guard let constant = request.constant(weights) else {
      packed = nil
      scratchByteCount = turnedOffset + (order.mirror.map { $0.count * 4 } ?? 0)
      return
    }
    scratchByteCount = primitive.scratchByteCount
    packed = primitive.packed(
      [constant], in: request.weights,
      turn: order.mirror.map { mirror in (mirror.form, { mirror.mirrored($0) }) })
  }

  /// What listings add to the kernel's name.
  package var detail: String {
    primitive.implementation + (packed == nil ? ", weights packed at every run" : "")
  }

  /// What a kernel lists as its weights.
  package var weights: [PackedWeight] { packed.map { [$0] } ?? [] }

  /// The forms in which weights and bias are read at run time; nil for packed weights.
  package func forms(_ request: KernelRequest) -> [TensorDescriptor?] {
    let weights: TensorDescriptor? =
      packed == nil ? TensorDescriptor(request.inputs[weightsInput].shape) : nil
    return [weights] + (biasInput.map { [TensorDescriptor(request.inputs[$0].shape)] } ?? [])
  }

  /// Runs on a source and a destination; `scratch` is as large as ``scratchByteCount``.
  package func run(
    _ memory: StepMemory, source: UnsafeRawPointer, destination: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) throws {
    // Safe: the state is what makeState() made; offsets lie within the scratch memory that was asked for;
    // bias and variable weights were asked for as dense float32.
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
      let turned = (scratch + turnedOffset).assumingMemoryBound(to: Float.self)
      mirror.mirror(weights, into: turned)
      weights = UnsafePointer(turned)
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
