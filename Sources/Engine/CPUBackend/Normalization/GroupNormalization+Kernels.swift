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

  /// Makes a kernel that runs our instance norm. If the operator normalises across channels, the kernel takes any
  /// layout and treats each sample as one channel. Otherwise, the kernel takes channels-last images and normalises each
  /// channel.
  private func varianceKernel(_ request: KernelRequest) throws -> Kernel? {
    guard normalizesVariance else { return nil }
    var form: TensorDescriptor = request.followed()
    if !acrossChannels { form.layout = .channelsLast }
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    guard let type = form.storage.native, form.shape.count > 0 else { return nil }
    var description = ck_instance_norm(map, type, epsilon: epsilon)
    if acrossChannels {
      (description.height, description.channels) = (description.height * description.channels, 1)
    }
    let shape: Shape = [Int(description.channels)]
    let gamma = request.weights.floats(.repeating(1, shape))
    let beta = request.weights.floats(.repeating(0, shape))
    let step = InstanceNormStep(description, .packed(gamma: gamma, beta: beta))
    return Kernel(
      step, inputs: [form], outputs: [form], weights: [gamma, beta],
      scratchByteCount: step.scratchByteCount, inPlaceInput: 0)
  }

  /// Makes a `float32` kernel that computes the mean into scratch memory, then subtracts the mean with broadcasting.
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
  public var kernels: [KernelCandidate] { [candidate(rounds: false)] }

  /// The candidate of our layer norm.
  fileprivate func candidate(rounds: Bool) -> KernelCandidate {
    KernelCandidate("native layer norm") { [self] (request: KernelRequest) -> Kernel? in
      let form = TensorDescriptor(request.inputs[0].shape)
      let length: Int = normalizedShape.count
      guard form.shape.count > 0 else { return nil }
      let (gamma, beta, epsilon) = (gammaInput, betaInput, epsilon)
      let rows = Int64(form.shape.count / length)
      let step = ClosureStep { memory in
        // Safe: the kernel takes dense float32, and shape inference checked the number of values.
        func floats(_ input: Int) -> UnsafePointer<Float> {
          UnsafePointer(memory.inputs[input].assumingMemoryBound(to: Float.self))
        }
        ck_layer_norm(
          floats(0), gamma.map(floats), beta.map(floats),
          memory.outputs[0].assumingMemoryBound(to: Float.self), rows, Int64(length), epsilon,
          rounds ? 1 : 0)
      }
      let parameters = request.inputs.dropFirst().map { TensorDescriptor($0.shape) }
      return Kernel(step, inputs: [form] + parameters, outputs: [form], inPlaceInput: 0)
    }
  }
}

extension FusedLayerNorm: KernelProvider {
  public var kernels: [KernelCandidate] { [core.candidate(rounds: true)] }
}
