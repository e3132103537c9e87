import Backends
import COneDNN
import Graph
import Operators

extension ByteKernels {
  /// oneDNN's kernel; nil where the library has none, or where it would not sum up exactly.
  ///
  /// - Parameter sizes: a description with the sizes set.
  func libraryKernel(_ sizes: adnn_convolution) throws -> Kernel? {
    guard let weights = request.constant(1), let factors = try request.constant(2)?.floats(),
      let bias = request.constant(3), factors.allSatisfy({ $0 > 0 && $0.isFinite }),
      let postOps = postOps
    else { return nil }
    var description = sizes
    description.source_type = ADNN_U8
    description.weights_type = ADNN_S8
    description.destination_type = epilogue.codes == nil ? ADNN_F32 : ADNN_U8
    description.source_layout = ADNN_NHWC
    description.destination_layout = ADNN_NHWC
    description.has_bias = 1
    description.source_zero = Int32(zero)
    description.destination_zero = Int32(-(epilogue.codes?.least ?? 0))
    let scaled: [Float] = factors.map { $0 * (isHomogeneous ? epilogue.codes?.scale ?? 1 : 1) }
    let primitive = try scaled.withUnsafeBufferPointer { factors in
      try postOps.withUnsafeBufferPointer { operations in
        description.factors = factors.baseAddress
        description.post_ops = operations.baseAddress
        description.post_op_count = Int32(operations.count)
        return try DNNPrimitive.make { adnn_convolution_create(&description, $0) }
      }
    }
    guard let primitive else { return nil }
    let packed: PackedWeight = primitive.packed([weights], in: request.weights)
    // The library adds the bias to the sum.
    let shift = request.weights.floats(
      of: [
        Constant(bias.shape, recipe: "bias in sums", of: [bias, request.constants[2] ?? bias]) {
          zip(try bias.floats(), factors).map { $0 / $1 }
        }
      ])
    return Kernel(
      LibraryByteStep(primitive, weights: packed, bias: shift), inputs: [source, nil, nil, nil],
      outputs: [destination], weights: [packed, shift], scratchByteCount: primitive.scratchByteCount)
  }

  /// Whether the epilogue gives so many times the result for so many times the sum.
  private var isHomogeneous: Bool {
    switch epilogue.activation {
    case nil, .reLU, .leakyReLU: return true
    default: return false
    }
  }

  /// The epilogue as the library's; nil where it has none. What a byte cannot hold below the least code is cut
  /// off by its type.
  private var postOps: [adnn_post_op]? {
    var result: [adnn_post_op] = []
    let scale: Float = isHomogeneous ? epilogue.codes?.scale ?? 1 : 1
    if let ceiling = epilogue.ceiling {
      result.append(.init(ADNN_CLIP, 0, ceiling * scale))
    } else if let activation = epilogue.activation {
      // Where no code is below 0 the byte is the ReLU.
      let isCutOff: Bool = activation.isReLU && (epilogue.codes.map { $0.least >= 0 } ?? false)
      guard let operations = activation.postOps else { return nil }
      if !isCutOff { result += operations }
    }
    guard let codes = epilogue.codes else { return result }
    if !isHomogeneous { result.append(.init(ADNN_LINEAR, codes.scale, 0)) }
    if codes.greatest - codes.least < 255 {
      result.append(.init(ADNN_CLIP, Float(codes.least), Float(codes.greatest)))
    }
    return result
  }
}

extension ActivationFunction {
  fileprivate var isReLU: Bool {
    if case .reLU = self { return true }
    return false
  }
}

/// Runs oneDNN's convolution of bytes.
private final class LibraryByteStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let weights: PackedWeight, bias: PackedWeight

  init(_ primitive: DNNPrimitive, weights: PackedWeight, bias: PackedWeight) {
    (self.primitive, self.weights, self.bias) = (primitive, weights, bias)
  }

  override var detail: String { primitive.implementation }

  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made; the planner gives the forms that were asked for.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    try execution.run(
      source: memory.inputs[0], weights: weights.pointer, bias: bias.floats,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}
