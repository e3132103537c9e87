import Backends
import CKernels
import Graph
import Operators

extension FusedConvolution {
  /// Makes our own depthwise kernel. Nil if the convolution is not depthwise, or if `ck_depthwise` does not support its
  /// sizes, weights or epilogue.
  ///
  /// Images are channels-last. Sums are float32, in the order of the convolution kernel's elements. Needs no scratch
  /// memory.
  package func depthwiseKernel(_ request: KernelRequest) throws -> Kernel? {
    guard core.groups > 1, core.groups == core.outputChannels, core.kernelChannels == 1,
      !core.isDeconvolution,
      upsampling == 1, core.dilation.width == 1 || core.kernel.width == 1, inputNorm == nil,
      let weights = request.constant(1), let steps, steps.residual == nil,
      steps.factorsInput == nil, let function = steps.uniformFunction
    else { return nil }
    let (source, destination) = forms(request)
    guard source.storage == destination.storage,
      var description = try ck_depthwise(
        sizesOf: self, input: source.shape, output: destination.shape)
    else { return nil }
    description.type = source.storage == .bfloat16 ? CK_BF16 : CK_F32
    (description.activation, description.alpha, description.beta) = function
    description.rounds = steps.rounds ? 1 : 0
    guard ck_depthwise_suits(&description) != 0 else { return nil }
    let packed = request.weights.weight(
      "channels by their windows", of: [weights],
      byteCount: ck_depthwise_weights_bytes(&description)
    ) { [description] memory in
      try weights.withFloats { values in
        // Safe: shape inference checked the number of weights. The memory has the size of the packed weights.
        guard let base = values.baseAddress else { return }
        withUnsafePointer(to: description) {
          ck_depthwise_pack($0, base, memory.assumingMemoryBound(to: Float.self))
        }
      }
    }
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[0] = source
    inputs[1] = nil
    return Kernel(
      DepthwiseConvolutionStep(description, packed, biasInput: core.biasInput), inputs: inputs,
      outputs: [destination], weights: [packed])
  }
}

/// Runs our own depthwise convolution.
final class DepthwiseConvolutionStep: Step, @unchecked Sendable {
  private let description: ck_depthwise
  private let weights: PackedWeight
  private let biasInput: Int?

  init(_ description: ck_depthwise, _ weights: PackedWeight, biasInput: Int?) {
    self.description = description
    self.weights = weights
    self.biasInput = biasInput
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the kernel takes dense float32, and shape inference checked the number of values.
    let bias = biasInput.map {
      UnsafePointer(memory.inputs[$0].assumingMemoryBound(to: Float.self))
    }
    let status = withUnsafePointer(to: description) {
      ck_depthwise_run(
        $0, memory.inputs[0], UnsafePointer(weights.pointer.assumingMemoryBound(to: Float.self)),
        bias, memory.outputs[0])
    }
    guard status == 0 else {
      throw EngineError(.backend, "the depthwise convolution rejected its arguments.")
    }
  }
}
