import Backends
import CKernels
import Graph
import Operators

extension MeanVarianceNormalizeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native mean and variance norm") { [self] in try varianceKernel($0) },
      KernelCandidate("native mean subtraction") { [self] in try meanKernel($0) },
    ]
  }

  /// The instance norm: by channel on channels-last pictures, or over samples in any layout.
  private func varianceKernel(_ request: KernelRequest) throws -> Kernel? {
    guard normalizesVariance else { return nil }
    var form: TensorDescriptor = request.followed()
    if !acrossChannels { form.layout = .channelsLast }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard let type = form.storage.native, form.shape.count > 0 else { return nil }
    var description = ck_instance_norm()
    description.batch = Int64(map.batch)
    description.height = Int64(acrossChannels ? map.channels * map.height : map.height)
    description.width = Int64(map.width)
    description.channels = Int64(acrossChannels ? 1 : map.channels)
    description.epsilon = epsilon
    description.source_type = type
    description.destination_type = type
    let shape: Shape = [Int(description.channels)]
    let gamma = request.weights.floats(.repeating(1, shape))
    let beta = request.weights.floats(.repeating(0, shape))
    let step = InstanceNormStep(description, .packed(gamma: gamma, beta: beta))
    return Kernel(
      step, inputs: [form], outputs: [form], weights: [gamma, beta],
      scratchByteCount: step.scratchByteCount, inPlaceInput: 0)
  }

  /// The mean into scratch memory, then a difference with broadcasting; `float32`.
  private func meanKernel(_ request: KernelRequest) throws -> Kernel? {
    guard !normalizesVariance else { return nil }
    var form: TensorDescriptor = request.followed()
    form.storage = .float32
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard form.shape.count > 0 else { return nil }
    let isLast: Bool = form.layout == .channelsLast && !acrossChannels
    var difference = PointwiseProgram(inputCount: 2)
    difference.append(.subtract, 0, 1)
    let step = try GroupStep(
      outer: acrossChannels || isLast ? map.batch : map.batch * map.channels,
      axis: acrossChannels ? map.channels * map.area : map.area,
      inner: isLast ? map.channels : 1, folding: CK_REDUCE_MEAN, program: difference)
    guard let step else { return nil }
    return Kernel(
      step, inputs: [form], outputs: [form], scratchByteCount: step.scratchByteCount,
      inPlaceInput: 0)
  }
}

extension L2NormalizeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native L2 norm") { [self] (request: KernelRequest) -> Kernel? in
        var form: TensorDescriptor = request.followed()
        form.storage = .float32
        let map = FeatureMap(ofRankThreeOrMore: form.shape)
        guard form.shape.count > 0 else { return nil }
        var factor = PointwiseProgram(inputCount: 1)
        factor.append(.reciprocalSquareRoot, factor.append(.affine, 0, alpha: 1, beta: epsilon))
        var product = PointwiseProgram(inputCount: 2)
        product.append(.multiply, 0, 1)
        let step = try GroupStep(
          outer: map.batch, axis: map.channels * map.area, inner: 1,
          folding: CK_REDUCE_SUM_OF_SQUARES, finish: factor, program: product)
        guard let step else { return nil }
        return Kernel(
          step, inputs: [form], outputs: [form], scratchByteCount: step.scratchByteCount,
          inPlaceInput: 0)
      }
    ]
  }
}

extension LayerNormalizationOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native layer norm") { [self] (request: KernelRequest) -> Kernel? in
        let form = TensorDescriptor(request.inputs[0].shape)
        let length: Int = normalizedShape.count
        guard form.shape.count > 0 else { return nil }
        let step = try LayerNormStep(
          rows: form.shape.count / length, length: length, epsilon: epsilon, gammaInput: gammaInput,
          betaInput: betaInput)
        guard let step else { return nil }
        let parameters = request.inputs.dropFirst().map { TensorDescriptor($0.shape) }
        return Kernel(
          step, inputs: [form] + parameters, outputs: [form],
          scratchByteCount: step.scratchByteCount, inPlaceInput: 0)
      }
    ]
  }
}

/// Normalises rows as pictures of one channel, then scales and shifts every column. `float32`.
private final class LayerNormStep: Step, @unchecked Sendable {
  private let description: ck_instance_norm
  /// The inputs that scale and shift, in this order.
  private let parameters: [Int]
  /// Scale and shift of every column.
  private let affine: PointwiseStep?
  private let one: AlignedBuffer
  private let zero: AlignedBuffer

  init?(rows: Int, length: Int, epsilon: Float, gammaInput: Int?, betaInput: Int?) throws {
    var description = ck_instance_norm()
    description.batch = Int64(rows)
    description.height = 1
    description.width = Int64(length)
    description.channels = 1
    description.epsilon = epsilon
    description.source_type = CK_F32
    description.destination_type = CK_F32
    self.description = description
    parameters = [gammaInput, betaInput].compactMap { $0 }
    one = try AlignedBuffer([1])
    zero = try AlignedBuffer([0])
    guard !parameters.isEmpty else {
      affine = nil
      return
    }
    let form = TensorDescriptor([rows, length])
    var program = PointwiseProgram(inputCount: 1 + parameters.count)
    if gammaInput != nil { program.append(.multiply, 0, 1) }
    if betaInput != nil {
      program.append(.add, gammaInput == nil ? 0 : program.result, parameters.count)
    }
    let columns = TensorDescriptor([length])
    let step = try PointwiseStep(
      program, inputs: [form] + parameters.map { _ in columns }, output: form)
    guard let step else { return nil }
    affine = step
  }

  var scratchByteCount: Int {
    var description: ck_instance_norm = self.description
    return ck_instance_norm_scratch_bytes(&description)
  }

  override func run(_ memory: StepMemory) throws {
    var description: ck_instance_norm = self.description
    let target: UnsafeMutableRawPointer = memory.outputs[0]
    requireNative(
      ck_instance_norm_run(
        &description, memory.inputs[0], one.floats, zero.floats, nil, target, memory.scratch))
    guard let affine else { return }
    // A handful of pointers: the temporary allocation stays on the stack.
    try withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer.self, capacity: 1 + parameters.count
    ) { operands in
      operands.initializeElement(at: 0, to: target)
      for (index, input) in parameters.enumerated() {
        operands.initializeElement(at: 1 + index, to: memory.inputs[input])
      }
      guard let first = UnsafePointer(operands.baseAddress) else { return }
      // Safe: the kernel asked for dense float32, and the type rule checked the number of values.
      try affine.run(
        StepMemory(inputs: first, outputs: memory.outputs, scratch: memory.scratch, state: nil))
    }
  }
}
