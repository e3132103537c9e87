import Backends
import CKernels
import Graph
import Operators

/// Group normalisation of images: `y = γ · (x − mean) / √(variance + ε) + β`, with the mean and the biased variance of
/// each group of channels of each image.
///
/// - Inputs: images `[N, C, H, W]`. Then γ and β, each optional and with one number per channel.
/// - Output: the first input's shape.
/// - Errors: the groups do not divide the channels; γ or β have another number of elements.
///
/// Only passes add this operator to a graph. No model file contains it.
///
/// **Source:** Wu and He, arXiv:1803.08494.
public struct GroupNorm: Operator {
  public static let declaration = OperatorDeclaration(
    "GroupNorm", summary: "γ (x − mean) / √(variance + ε) + β over groups of channels")

  /// The number of groups.
  public var groups: Int
  /// A small number that is added to the variance.
  public var epsilon: Float
  /// Whether the second input holds the factors γ.
  public var hasGamma = false
  /// Whether the last input holds the shifts β.
  public var hasBeta = false
  /// Whether the result of each operation is rounded to float16: mean, difference, square, variance, the sum with ε,
  /// root, quotient, product, sum, activation.
  public var rounds: Bool
  /// A function that is applied to the result.
  public var activation: Epilogue?

  /// Creates a group norm without γ and β.
  public init(groups: Int, epsilon: Float, rounds: Bool = false) {
    self.groups = groups
    self.epsilon = epsilon
    self.rounds = rounds
  }

  private var gammaInput: Int? { hasGamma ? 1 : nil }
  private var betaInput: Int? { hasBeta ? (hasGamma ? 2 : 1) : nil }
  private var inputCount: Int { 1 + (hasGamma ? 1 : 0) + (hasBeta ? 1 : 0) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == inputCount else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(inputCount).")
    }
    let shape: Shape = inputs[0].shape
    guard shape.rank == 4, groups > 0, shape[1] % groups == 0 else {
      throw EngineError(
        .invalidInput,
        "the input is \(shape), expected images of a number of channels that \(groups) groups divide."
      )
    }
    for parameter in inputs.dropFirst() where parameter.shape.count != shape[1] {
      throw EngineError(
        .invalidInput, "γ or β is \(parameter.shape), expected \(shape[1]) numbers.")
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result: ReferenceTensor = inputs[0]
    let (channels, area) = (result.shape[1], result.shape[2] * result.shape[3])
    let size: Int = channels / groups * area
    func rounded(_ value: Double) -> Double { rounds ? ElementType.float16.rounded(value) : value }
    for start in stride(from: 0, to: result.values.count, by: size) {
      let group: ArraySlice<Double> = inputs[0].values[start..<start + size]
      let mean: Double = rounded(group.reduce(0, +) / Double(size))
      let distances: [Double] = group.map { rounded($0 - mean) }
      let variance: Double = rounded(
        distances.reduce(0) { $0 + rounded($1 * $1) } / Double(size))
      let deviation: Double = rounded(rounded(variance + Double(epsilon)).squareRoot())
      for (offset, distance) in distances.enumerated() {
        let channel: Int = (start + offset) / area % channels
        var value: Double = rounded(distance / deviation)
        if let gammaInput { value = rounded(value * inputs[gammaInput].values[channel]) }
        if let betaInput { value = rounded(value + inputs[betaInput].values[channel]) }
        result.values[start + offset] = value
      }
    }
    guard let activation else { return [result] }
    let steps: [Epilogue] = rounds ? [activation, .rounding] : [activation]
    return [try steps.reference(result, [])]
  }
}

extension GroupNorm: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native group norm") { [self] in kernel($0) }]
  }

  /// Makes a kernel for channels-last images of float32.
  private func kernel(_ request: KernelRequest) -> Kernel? {
    let shape: Shape = request.inputs[0].shape
    guard shape.count > 0,
      let function = activation.map(\.uniformFunction) ?? (CK_IDENTITY, 0, 0)
    else { return nil }
    let form = TensorDescriptor(shape, .float32, .channelsLast)
    let description = ck_group_norm(
      batch: Int64(shape[0]), pixels: Int64(shape[2] * shape[3]), channels: Int64(shape[1]),
      groups: Int64(groups), epsilon: epsilon, activation: function.0, alpha: function.1,
      beta: function.2, rounds: rounds ? 1 : 0)
    let (gamma, beta) = (gammaInput, betaInput)
    let step = ClosureStep { memory in
      // Safe: the kernel takes dense float32, and shape inference checked the number of values.
      func floats(_ input: Int) -> UnsafePointer<Float> {
        UnsafePointer(memory.inputs[input].assumingMemoryBound(to: Float.self))
      }
      requireNative(
        withUnsafePointer(to: description) {
          ck_group_norm_run(
            $0, floats(0), gamma.map(floats), beta.map(floats),
            memory.outputs[0].assumingMemoryBound(to: Float.self), memory.scratch)
        })
    }
    return Kernel(
      step, inputs: [form] + request.inputs.dropFirst().map { TensorDescriptor($0.shape) },
      outputs: [form],
      scratchByteCount: withUnsafePointer(to: description) { ck_group_norm_scratch_bytes($0) },
      inPlaceInput: 0)
  }
}
