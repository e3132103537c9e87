import Backends
import COneDNN
import Graph
import Operators

extension ByteKernels {
  /// Makes oneDNN's kernel. Returns nil if the library has no kernel, if the library's sums would not be exact, or if
  /// the quantised range does not start at 0. In the last case, the library subtracts the lower bound before it rounds.
  /// The subtraction itself is rounded, so that a difference just below one half could become one half. Networks that
  /// compute statistics of quantised values amplify such an error.
  ///
  /// - Parameter sizes: A description in which only the sizes are set.
  func libraryKernel(_ sizes: adnn_convolution) throws -> Kernel? {
    guard let weights = request.constant(1), let factors = try factors?.floats(),
      let bias = request.constant(3), factors.allSatisfy({ $0 > 0 && $0.isFinite }),
      let postOps = postOps, epilogue.quantization.map({ $0.least == 0 }) ?? true
    else { return nil }
    var description = sizes
    description.source_type = ADNN_U8
    description.weights_type = ADNN_S8
    description.destination_type = epilogue.quantization == nil ? ADNN_F32 : ADNN_U8
    description.source_layout = ADNN_NHWC
    description.destination_layout = ADNN_NHWC
    description.has_bias = 1
    description.source_zero = Int32(zero)
    let primitive = try factors.withUnsafeBufferPointer { factors in
      try postOps.withUnsafeBufferPointer { operations in
        description.factors = factors.baseAddress
        description.post_ops = operations.baseAddress
        description.post_op_count = Int32(operations.count)
        return try DNNPrimitive.make { adnn_convolution_create(&description, $0) }
      }
    }
    guard let primitive else { return nil }
    let packed: PackedWeight = primitive.packed([weights], in: request.weights)
    let added: PackedWeight = request.weights.floats(of: [bias])
    return Kernel(
      LibraryByteStep(primitive, weights: packed, bias: added), inputs: [source, nil, nil, nil],
      outputs: [destination], weights: [packed, added],
      scratchByteCount: primitive.scratchByteCount)
  }

  /// The epilogue as oneDNN's post-operations. Nil if oneDNN has no such post-operations. If the result is quantised, a
  /// ReLU needs no post-operation, because the conversion to uint8 clamps values below 0.
  private var postOps: [adnn_post_op]? {
    var result: [adnn_post_op] = []
    if let ceiling = epilogue.ceiling {
      result.append(.init(ADNN_CLIP, 0, ceiling * scale))
    } else if let activation = epilogue.activation {
      let isCutOff: Bool = activation.isReLU && epilogue.quantization != nil
      guard let operations = activation.postOps else { return nil }
      if !isCutOff { result += operations }
    }
    guard let quantization = epilogue.quantization else { return result }
    if !isHomogeneous { result.append(.init(ADNN_LINEAR, quantization.scale, 0)) }
    if quantization.greatest < 255 {
      result.append(.init(ADNN_CLIP, 0, Float(quantization.greatest)))
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

/// Runs oneDNN's int8 convolution.
private final class LibraryByteStep: Step, @unchecked Sendable {
  private let primitive: DNNPrimitive
  private let weights: PackedWeight, bias: PackedWeight

  init(_ primitive: DNNPrimitive, weights: PackedWeight, bias: PackedWeight) {
    (self.primitive, self.weights, self.bias) = (primitive, weights, bias)
  }

  override var detail: String { primitive.implementation }

  override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  override func run(_ memory: StepMemory) throws {
    // Safe: the state comes from makeState(), and the planner supplies memory in the forms of the kernel.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    try execution.run(
      source: memory.inputs[0], weights: weights.pointer, bias: bias.floats,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}
