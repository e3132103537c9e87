import Backends
import CKernels
import Graph
import Operators

/// Makes kernels of int8 convolutions: 32-bit integer sums, then the epilogue in `float32`.
struct ByteKernels {
  let request: KernelRequest
  let zero: Int
  let epilogue: ByteEpilogue
  /// The layout of input and result: channels last, or dense rows.
  let layout: Layout

  /// The form of the input.
  var source: TensorDescriptor { TensorDescriptor(request.inputs[0].shape, .uint8, layout) }

  /// The form of the result.
  var destination: TensorDescriptor {
    TensorDescriptor(
      request.outputs[0].shape, epilogue.quantization == nil ? .float32 : .uint8, layout)
  }

  /// Makes our own kernel. Nil if the weights are not constant or the sizes exceed the kernel's limits.
  ///
  /// - Parameter sizes: A description in which only the sizes are set.
  func ownKernel(_ sizes: ck_quantized_convolution) -> Kernel? {
    guard var weights = request.constant(1), var factors, var bias = request.constant(3),
      let function
    else { return nil }
    var description = sizes
    if let neighbours = ByteNeighbours(sizes) {
      description = neighbours.joined(sizes)
      weights = neighbours.joined(weights: weights)
      (factors, bias) = (neighbours.joined(channels: factors), neighbours.joined(channels: bias))
    }
    description.zero = Int32(zero)
    (description.activation, description.alpha, description.beta) = function
    if let quantization = epilogue.quantization {
      description.quantizes_result = 1
      description.scale = isHomogeneous ? 1 : quantization.scale
      (description.least, description.greatest) = (
        Int32(quantization.least), Int32(quantization.greatest)
      )
    }
    let groups = description.groups
    guard ck_quantized_convolution_suits(&description) != 0 else { return nil }
    let form = "bytes of \(groups) groups, dilated by \(description.dilation_width)"
    let packed = request.weights.weight(
      form, of: [weights], byteCount: ck_quantized_convolution_weights_bytes(&description)
    ) { [description, weights] memory in
      try weights.floats().withUnsafeBufferPointer { values in
        // Safe: shape inference checked the number of weights. The memory has the size of the packed weights.
        guard let base = values.baseAddress else { return }
        withUnsafePointer(to: description) { ck_quantized_convolution_pack($0, base, memory) }
      }
    }
    let numbers: [PackedWeight] = [factors, bias].map { request.weights.floats(of: [$0]) }
    return Kernel(
      ByteStep(description, packed, factors: numbers[0], bias: numbers[1]),
      inputs: [source, nil, nil, nil], outputs: [destination], weights: [packed] + numbers,
      scratchByteCount: ck_quantized_convolution_scratch_bytes(&description))
  }

  /// The factor by which ``factors`` multiplies the factors of the sums. It is the `scale` of the result's quantisation
  /// if the result is quantised and the epilogue is homogeneous, else 1.
  var scale: Float { isHomogeneous ? epilogue.quantization?.scale ?? 1 : 1 }

  /// The factors of the sums, multiplied by ``scale``. Nil if the factors are not constant.
  var factors: Constant? {
    guard let factors = request.constant(2) else { return nil }
    guard scale != 1 else { return factors }
    return Constant(factors.shape, recipe: "times \(scale)", of: [factors]) { [scale] in
      try factors.floats().map { $0 * scale }
    }
  }

  /// Whether the epilogue is homogeneous: multiplying its input by a factor multiplies its result by the same factor.
  var isHomogeneous: Bool {
    switch epilogue.activation {
    case nil, .reLU, .leakyReLU: return true
    default: return false
    }
  }

  /// The activation. Its input is multiplied by ``scale`` already, so a ceiling is multiplied by ``scale``, too.
  private var function: (function: ck_function, alpha: Float, beta: Float)? {
    if let ceiling = epilogue.ceiling { return (CK_CLIP, 0, ceiling * scale) }
    guard let activation = epilogue.activation else { return (CK_IDENTITY, 0, 0) }
    return activation.uniformFunction
  }
}

/// Runs our own int8 convolution.
private final class ByteStep: Step, @unchecked Sendable {
  private let description: ck_quantized_convolution
  private let weights: PackedWeight, factors: PackedWeight, bias: PackedWeight

  init(
    _ description: ck_quantized_convolution, _ weights: PackedWeight, factors: PackedWeight,
    bias: PackedWeight
  ) {
    self.description = description
    (self.weights, self.factors, self.bias) = (weights, factors, bias)
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the kernel takes uint8, and shape inference checked the numbers of values.
    let source = UnsafePointer(memory.inputs[0].assumingMemoryBound(to: UInt8.self))
    let status = withUnsafePointer(to: description) {
      ck_quantized_convolution_run(
        $0, source, weights.pointer, factors.floats, bias.floats, memory.outputs[0],
        memory.scratch)
    }
    guard status == 0 else {
      throw EngineError(.backend, "the int8 convolution rejected its arguments.")
    }
  }
}
