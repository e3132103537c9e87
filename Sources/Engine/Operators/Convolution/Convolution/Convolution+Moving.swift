import CKernels
import COneDNN
import Backends
import Graph

extension ConvolutionOperator {
  /// The kernel of a convolution whose weights, and perhaps bias, are inputs: packed at every run.
  package func movingKernel(
    _ step: some MovingWeightsStep, _ request: KernelRequest, _ source: TensorDescriptor,
    _ destination: TensorDescriptor
  ) -> Kernel? {
    guard takesBiasInput || bias == nil else { return nil }
    var inputs: [TensorDescriptor] = [source, TensorDescriptor(request.inputs[1].shape)]
    if takesBiasInput { inputs.append(TensorDescriptor(request.inputs[2].shape)) }
    return Kernel(
      step, inputs: inputs, outputs: [destination], scratchByteCount: step.scratchByteCount)
  }

  // MARK: Mirrored

  /// Whether a transposed convolution moves pixel by pixel: it is then a plain one with the window
  /// mirrored and the channels exchanged, which oneDNN computes several times faster.
  package var canMirror: Bool {
    isDeconvolution && stride == Pair(1, 1) && outputChannels >= 16 && inputChannels >= 16
      && residual == nil && affine == nil
  }

  /// The plain convolution that a transposed one of stride 1 is, weights aside; nil where it would cut
  /// more than a window off.
  private func mirrored(_ geometry: Geometry, _ input: FeatureMap) -> ConvolutionOperator? {
    let (top, left) = (window.height - 1 - geometry.top, window.width - 1 - geometry.left)
    let bottom: Int = geometry.outputHeight + window.height - 1 - input.height - top
    let right: Int = geometry.outputWidth + window.width - 1 - input.width - left
    guard top >= 0, left >= 0, bottom >= 0, right >= 0 else { return nil }
    var result = ConvolutionOperator(
      outputChannels: outputChannels, kernelChannels: inputChannels / groups, groups: groups,
      kernel: kernel, dilation: dilation,
      padding: .valid(top: top, left: left, bottom: bottom, right: right), weights: nil, bias: bias,
      takesBiasInput: takesBiasInput)
    result.activation = activation
    return result
  }

  /// The transposed convolution as a plain one.
  package func mirroredKernel(_ request: KernelRequest) throws -> Kernel? {
    let (source, destination) = forms(request)
    let input = FeatureMap(ofRankThreeOrMore: source.shape)
    let geometry = try Geometry(self, height: input.height, width: input.width)
    guard var plain = mirrored(geometry, input) else { return nil }
    let order = MirroredWeights(self)
    if let weights {
      let given: [Float] = try weights.floats()
      var mirrored = [Float](repeating: 0, count: given.count)
      given.withUnsafeBufferPointer { from in
        mirrored.withUnsafeMutableBufferPointer { to in
          // Safe: both hold as many values as the weights' shape.
          if let from = from.baseAddress, let to = to.baseAddress { order.mirror(from, into: to) }
        }
      }
      plain.weights = Weights(plain.weightShape, mirrored)
      return try plain.libraryKernel(request)
    }
    guard let kernel = try plain.libraryKernel(request),
      let step = kernel.step as? MovingConvolutionStep
    else { return nil }
    return movingKernel(
      MovingConvolutionStep(
        step.primitive, order: .mirrored(order), takesBias: takesBiasInput), request, source,
      destination)
  }
}

/// The order of a transposed convolution's weights and that of the plain convolution it is.
package struct MirroredWeights: Sendable {
  private let groups: Int
  private let inputs: Int
  private let outputs: Int
  private let area: Int

  /// The order for matrices of windows `[groups, inputs, outputs, area]`.
  package init(groups: Int = 1, inputs: Int, outputs: Int, area: Int) {
    self.groups = groups
    self.inputs = inputs
    self.outputs = outputs
    self.area = area
  }

  /// The order for a transposed convolution.
  package init(_ layer: ConvolutionOperator) {
    self.init(
      groups: layer.groups, inputs: layer.inputChannels / layer.groups,
      outputs: layer.outputChannels / layer.groups, area: layer.kernel.height * layer.kernel.width)
  }

  /// The number of weights.
  package var count: Int { groups * inputs * outputs * area }

  /// `[C, O / groups, kh, kw]` becomes `[O, C / groups, kh, kw]`, the window turned by 180°.
  package func mirror(_ from: UnsafePointer<Float>, into to: UnsafeMutablePointer<Float>) {
    for group in 0..<groups {
      for o in 0..<outputs {
        for i in 0..<inputs {
          let source = from + ((group * inputs + i) * outputs + o) * area
          let target = to + ((group * outputs + o) * inputs + i) * area
          for k in 0..<area { target[k] = source[area - 1 - k] }
        }
      }
    }
  }
}

/// A step that packs weights at every run.
package protocol MovingWeightsStep: Step {
  /// Memory for packed weights and the run itself, in bytes.
  var scratchByteCount: Int { get }
}

/// Runs oneDNN's convolution with weights, and a bias perhaps, that are inputs.
///
/// Scratch memory: the library's, then packed weights, then mirrored ones.
package final class MovingConvolutionStep: Step, MovingWeightsStep, @unchecked Sendable {
  /// How the input's weights are turned before packing.
  package enum Order: Sendable {
    case plain
    case mirrored(MirroredWeights)
  }

  package let primitive: DNNPrimitive
  private let order: Order
  private let takesBias: Bool
  private let packedOffset: Int
  private let mirroredOffset: Int
  package let scratchByteCount: Int

  package init(_ primitive: DNNPrimitive, order: Order, takesBias: Bool) {
    self.primitive = primitive
    self.takesBias = takesBias
    self.order = order
    packedOffset = primitive.scratchByteCount.roundedToLine
    mirroredOffset = packedOffset + primitive.weightsByteCount.roundedToLine
    if case .mirrored(let weights) = order {
      scratchByteCount = mirroredOffset + weights.count * 4
    } else {
      scratchByteCount = mirroredOffset
    }
  }

  package override var detail: String { primitive.implementation + ", weights packed at every run" }

  package override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  package override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made; offsets lie within the scratch memory that was asked for.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    var weights = UnsafePointer(memory.inputs[1].assumingMemoryBound(to: Float.self))
    if case .mirrored(let order) = order {
      let turned = (memory.scratch + mirroredOffset).assumingMemoryBound(to: Float.self)
      order.mirror(weights, into: turned)
      weights = UnsafePointer(turned)
    }
    let packed: UnsafeMutableRawPointer = memory.scratch + packedOffset
    try primitive.pack(weights, into: packed)
    try execution.run(
      source: memory.inputs[0], weights: packed,
      bias: takesBias ? UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self)) : nil,
      destination: memory.outputs[0], scratch: memory.scratch)
  }
}

/// Runs our own convolution with weights, and a bias perhaps, that are inputs.
///
/// Scratch memory: that of the convolution, then packed weights.
package final class MovingDirectConvolutionStep: Step, MovingWeightsStep, @unchecked Sendable {
  private let plan: DirectConvolutionPlan
  private let takesBias: Bool
  private let threads: Int
  private let packedOffset: Int
  package let scratchByteCount: Int

  package init(_ plan: DirectConvolutionPlan, takesBias: Bool, threads: Int) {
    self.plan = plan
    self.takesBias = takesBias
    self.threads = threads
    packedOffset = plan.scratchByteCount(threads: threads).roundedToLine
    scratchByteCount = packedOffset + ck_convolution_weights_bytes(plan.handle)
  }

  package override var detail: String {
    String(cString: ck_convolution_name(plan.handle)) + ", weights packed at every run"
  }

  package override func run(_ memory: StepMemory) throws {
    let packed: UnsafeMutableRawPointer = memory.scratch + packedOffset
    // Safe: the shape rule checked the number of weights; scratch has room for the packed ones.
    ck_convolution_pack(
      plan.handle, UnsafePointer(memory.inputs[1].assumingMemoryBound(to: Float.self)), packed)
    var arguments = ck_convolution_arguments()
    arguments.source = UnsafeRawPointer(memory.inputs[0])
    arguments.weights = UnsafeRawPointer(packed)
    if takesBias {
      arguments.bias = UnsafePointer(memory.inputs[2].assumingMemoryBound(to: Float.self))
    }
    arguments.destination = memory.outputs[0]
    arguments.scratch = memory.scratch
    arguments.threads = Int32(threads)
    guard ck_convolution_run(plan.handle, &arguments) == 0 else {
      throw EngineError(.backend, "the direct convolution refused its arguments.")
    }
  }
}
