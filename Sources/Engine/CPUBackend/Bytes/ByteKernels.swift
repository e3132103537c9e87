import Backends
import CKernels
import Graph
import Operators

/// Makes kernels of convolutions of bytes: sums in 32 bits, then the epilogue in `float32`.
struct ByteKernels {
  let request: KernelRequest
  let zero: Int
  let epilogue: ByteEpilogue
  /// How the bytes and the result lie: channels last, or dense rows.
  let layout: Layout

  /// The form of the bytes that come in.
  var source: TensorDescriptor { TensorDescriptor(request.inputs[0].shape, .uint8, layout) }

  /// The form of the result.
  var destination: TensorDescriptor {
    TensorDescriptor(
      request.outputs[0].shape, epilogue.codes == nil ? .float32 : .uint8, layout)
  }

  /// Our own kernel; nil where weights are no constants, or sizes beyond it.
  ///
  /// - Parameter sizes: a description with the sizes set.
  func ownKernel(_ sizes: ck_byte_convolution) -> Kernel? {
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
    if let codes = epilogue.codes {
      description.makes_codes = 1
      description.scale = isHomogeneous ? 1 : codes.scale
      (description.least, description.greatest) = (Int32(codes.least), Int32(codes.greatest))
    }
    let groups = description.groups
    guard ck_byte_convolution_suits(&description) != 0 else { return nil }
    let form = "bytes of \(groups) groups, dilated by \(description.dilation_width)"
    let packed = request.weights.weight(
      form, of: [weights], byteCount: ck_byte_convolution_weights_bytes(&description)
    ) { [description, weights] memory in
      try weights.floats().withUnsafeBufferPointer { values in
        // Safe: the type rule checked the number of weights; the memory is as large as they are.
        guard let base = values.baseAddress else { return }
        withUnsafePointer(to: description) { ck_byte_convolution_pack($0, base, memory) }
      }
    }
    let numbers: [PackedWeight] = [factors, bias].map { request.weights.floats(of: [$0]) }
    return Kernel(
      ByteStep(description, packed, factors: numbers[0], bias: numbers[1]),
      inputs: [source, nil, nil, nil], outputs: [destination], weights: [packed] + numbers,
      scratchByteCount: ck_byte_convolution_scratch_bytes(&description))
  }

  /// How many codes are one where factors count codes at once, else 1.
  var scale: Float { isHomogeneous ? epilogue.codes?.scale ?? 1 : 1 }

  /// The factors of the sums, with ``scale`` among them; nil where they are no constant.
  var factors: Constant? {
    guard let factors = request.constant(2) else { return nil }
    guard scale != 1 else { return factors }
    return Constant(factors.shape, recipe: "times \(scale)", of: [factors]) { [scale] in
      try factors.floats().map { $0 * scale }
    }
  }

  /// Whether the epilogue gives so many times the result for so many times the sum.
  var isHomogeneous: Bool {
    switch epilogue.activation {
    case nil, .reLU, .leakyReLU: return true
    default: return false
    }
  }

  /// The function of the real number, or of so many codes.
  private var function: (function: ck_function, alpha: Float, beta: Float)? {
    if let ceiling = epilogue.ceiling { return (CK_CLIP, 0, ceiling * scale) }
    guard let activation = epilogue.activation else { return (CK_IDENTITY, 0, 0) }
    return activation.uniformFunction
  }
}

/// Runs our own convolution of bytes.
private final class ByteStep: Step, @unchecked Sendable {
  private let description: ck_byte_convolution
  private let weights: PackedWeight, factors: PackedWeight, bias: PackedWeight

  init(
    _ description: ck_byte_convolution, _ weights: PackedWeight, factors: PackedWeight,
    bias: PackedWeight
  ) {
    self.description = description
    (self.weights, self.factors, self.bias) = (weights, factors, bias)
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the kernel asked for bytes, and the type rules checked the numbers of values.
    let source = UnsafePointer(memory.inputs[0].assumingMemoryBound(to: UInt8.self))
    let status = withUnsafePointer(to: description) {
      ck_byte_convolution_run(
        $0, source, weights.pointer, factors.floats, bias.floats, memory.outputs[0],
        memory.scratch)
    }
    guard status == 0 else {
      throw EngineError(.backend, "the convolution of bytes refused its arguments.")
    }
  }
}
