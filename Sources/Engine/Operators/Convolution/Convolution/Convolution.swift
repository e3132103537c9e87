import Graph

/// Convolution and deconvolution (transposed convolution) over two spatial dimensions.
///
///     out[n, o, y, x] = bias[o] + Σ w[o, i, ky, kx] · in[n, i, y·s + ky·d − top, x·s + kx·d − left]
///
/// with `i` over the channels of `o`'s group. Deconvolution is the gradient of that with respect to
/// its input: every input pixel adds its multiple of the kernel to the output.
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. The weights
///   `[O, C / groups, kh, kw]`, for deconvolution `[C, O / groups, kh, kw]`; and then, as far as there are
///   such: the bias `[O]`, a factor and a shift a channel, `[O]` each, the residual, and the parameters and statistics
///   of ``inputNorm``.
/// - Output: `[…, O, H', W']` with `H' = (H + top + bottom − (d·(kh − 1) + 1)) / s + 1`, rounded
///   down; `⌈H / s⌉` for *same*. Deconvolution: `(H − 1)·s + d·(kh − 1) + 1 − top − bottom`, `H · s`
///   for *same*, or `outputShape`, where rows and columns beyond the natural size come at the
///   bottom and right. Where ``takesStatistics`` is set, a second one: the statistics of the first one's blocks
///   (``BlockStatistics``).
/// - Defaults: kernel 3 × 3, stride 1, dilation 1, one group, no padding.
/// - Fused by passes: in front, in this order, an instance norm, zero padding and nearest upsampling; behind, in this
///   order, a residual (cropped), an activation, and a factor and shift a channel; the statistics for an instance norm.
/// - Errors: another number of channels than the weights', a kernel larger than the padded input.
///
/// **Source:** `ConvolutionLayerParams`; Dumoulin and Visin, arXiv:1603.07285.
public struct ConvolutionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Convolution", summary: "Σ w · x over a window, with groups, dilation, transposition")

  /// What stands around the picture.
  public enum Padding: Sendable, Equatable {
    /// Zeros on the four sides; for deconvolution what is cut off the output's sides.
    case valid(top: Int, left: Int, bottom: Int, right: Int)
    /// As many zeros as give `⌈in / stride⌉` outputs; the odd one at the bottom and right, or at the
    /// top and left.
    case same(topLeftHeavy: Bool)
  }

  /// Two numbers, for height and width.
  public struct Pair: Sendable, Equatable {
    /// Along the height.
    public var height: Int
    /// Along the width.
    public var width: Int
    /// A pair.
    public init(_ height: Int, _ width: Int) { (self.height, self.width) = (height, width) }
  }

  /// The number of output channels.
  public var outputChannels: Int
  /// Input channels of one group; for deconvolution all input channels.
  public var kernelChannels: Int
  /// The number of groups.
  public var groups: Int
  /// The window.
  public var kernel: Pair
  /// The step between windows; for deconvolution between their outputs.
  public var stride: Pair
  /// The step within a window.
  public var dilation: Pair
  /// What stands around the picture.
  public var padding: Padding
  /// Whether this is the transposed convolution.
  public var isDeconvolution: Bool
  /// Deconvolution's output size where the model states it.
  public var outputShape: Pair?
  /// Rows and columns beyond deconvolution's natural size where no output size is stated; set by
  /// ``Graph/freeOutputShapes(from:)``.
  public var outputPadding = Pair(0, 0)
  /// Whether a bias is added: the input after the weights.
  public var hasBias: Bool
  /// How often every input pixel stands in both directions before the convolution; set by passes.
  public var upsampling = 1
  /// The part of an input that is added to the result: as many rows and columns as the result
  /// has, from this place on. Set by passes.
  public var residual: CropOperator.Offset?
  /// Applied to the result; set by passes.
  public var activation: ActivationFunction?
  /// The largest result after a ReLU, as ReLU6 has one. Set by passes, where ``activation`` is a ReLU.
  public var ceiling: Float?
  /// Whether every output channel is multiplied by a factor and moved by a shift after the activation: the
  /// two inputs after the bias. Set by passes.
  public var appliesFactors = false
  /// Whether the statistics of the result's blocks are a second output. Set by passes.
  public var takesStatistics = false
  /// The instance norm through which the first input is read, with its activation and without a residual: γ, β and
  /// the statistics of the input's blocks are the last three inputs. Set by passes.
  public var inputNorm: BatchNormOperator?
  /// Whether others read the first input, too, so that ``inputNorm`` had better not be applied to it in its place. Set
  /// by passes.
  public var sharesInput = false

  /// A convolution.
  public init(
    outputChannels: Int, kernelChannels: Int, groups: Int = 1, kernel: Pair = Pair(3, 3),
    stride: Pair = Pair(1, 1), dilation: Pair = Pair(1, 1),
    padding: Padding = .valid(top: 0, left: 0, bottom: 0, right: 0), isDeconvolution: Bool = false,
    outputShape: Pair? = nil, hasBias: Bool = false
  ) {
    self.outputChannels = outputChannels
    self.kernelChannels = kernelChannels
    self.groups = groups
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.isDeconvolution = isDeconvolution
    self.outputShape = outputShape
    self.hasBias = hasBias
  }

  /// The number of input channels.
  public var inputChannels: Int { isDeconvolution ? kernelChannels : kernelChannels * groups }

  /// The shape of the weights in the specification's order.
  public var weightShape: Shape {
    isDeconvolution
      ? [kernelChannels, outputChannels / groups, kernel.height, kernel.width]
      : [outputChannels, kernelChannels, kernel.height, kernel.width]
  }

  /// The window with its gaps: `d · (k − 1) + 1`.
  package var window: Pair {
    Pair(dilation.height * (kernel.height - 1) + 1, dilation.width * (kernel.width - 1) + 1)
  }

  /// The position of the bias among the inputs; nil for none.
  package var biasInput: Int? { hasBias ? 2 : nil }

  /// The position of the factors among the inputs; the shifts are the next one. Nil for none.
  package var factorsInput: Int? { appliesFactors ? (hasBias ? 3 : 2) : nil }

  /// The position of the residual among the inputs; nil for none.
  package var residualInput: Int? { residual == nil ? nil : ownInputCount - 1 }

  /// The positions of γ, β and the statistics of ``inputNorm`` among the inputs; nil for none.
  package var normInputs: Range<Int>? {
    inputNorm == nil ? nil : ownInputCount..<ownInputCount + 3
  }

  /// The number of inputs that the operator reads.
  package var inputCount: Int { normInputs?.upperBound ?? ownInputCount }

  /// The number of inputs before those of ``inputNorm``.
  private var ownInputCount: Int {
    2 + (hasBias ? 1 : 0) + (appliesFactors ? 2 : 0) + (residual == nil ? 0 : 1)
  }

  /// Whether passes have joined parts of other layers to this one. Such a convolution is no layer of any format,
  /// and has no gradient: writing and differentiation come before passes.
  public var hasJoinedParts: Bool {
    upsampling > 1 || residual != nil || activation != nil || ceiling != nil || appliesFactors
      || takesStatistics || inputNorm != nil
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == inputCount else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(inputCount).")
    }
    let input = try FeatureMap(inputs[0].shape)
    guard input.channels == inputChannels else {
      throw EngineError(
        .invalidInput,
        "the input has \(input.channels) channels (\(inputs[0].shape)), expected \(inputChannels).")
    }
    guard inputs[1].shape == weightShape else {
      throw EngineError(
        .invalidInput,
        "the weights given as input are \(inputs[1].shape), expected \(weightShape).")
    }
    if let inputNorm, let normInputs {
      _ = try inputNorm.outputTypes(for: [inputs[0]] + inputs[normInputs])
    }
    for position in 2..<ownInputCount where position != residualInput {
      guard inputs[position].shape.count == outputChannels else {
        throw EngineError(
          .invalidInput,
          "the bias given as input is \(inputs[position].shape), expected \(outputChannels) numbers."
        )
      }
    }
    let geometry = try Geometry(self, height: input.height, width: input.width)
    var shape = inputs[0].shape
    shape[-3] = outputChannels
    shape[-2] = geometry.outputHeight
    shape[-1] = geometry.outputWidth
    if let residual, let residualInput {
      try residual.require(inputs[residualInput].shape, covers: shape)
    }
    guard takesStatistics else { return [TensorType(shape)] }
    return [TensorType(shape), TensorType(try BlockStatistics.shape(of: shape))]
  }
}
