import Graph

/// Convolution and deconvolution (transposed convolution) over two spatial dimensions.
///
///     out[n, o, y, x] = bias[o] + Σ w[o, i, ky, kx] · in[n, i, y·s + ky·d − top, x·s + kx·d − left]
///
/// where `s` is the stride, `d` the dilation, and `top` and `left` the padding. The sum is over the kernel elements
/// `(ky, kx)` and over the channels `i` of the group of `o`. Deconvolution is the gradient of the convolution with
/// respect to its input: every input pixel adds a multiple of the kernel to the output.
///
/// - Inputs: `[…, C, H, W]`, rank three or more; leading dimensions are batch. The weights `[O, C / groups, kh, kw]`,
///   for deconvolution `[C, O / groups, kh, kw]`. Then, each only if the operator has it: the bias `[O]`; factors and
///   shifts per channel, `[O]` each; the residual; γ, β and the block statistics of ``inputNorm``.
/// - Output: `[…, O, H', W']`. For a convolution `H' = (H + top + bottom − (d·(kh − 1) + 1)) / s + 1`, rounded down, or
///   `⌈H / s⌉` with *same* padding. For a deconvolution `H' = (H − 1)·s + d·(kh − 1) + 1 − top − bottom`, or `H · s`
///   with *same* padding; if ``outputShape`` is set, it replaces this size. `W'` follows the same rules. If
///   ``outputShape`` is greater than the natural size, the added rows and columns are at the bottom and right. If
///   ``takesStatistics`` is set, a second output holds the statistics of the first output's blocks
///   (``BlockStatistics``).
/// - Defaults of the initialiser: kernel 3 × 3, stride 1, dilation 1, one group, no padding.
/// - Passes can fuse other operators into the convolution. Before the convolution, in this order: an instance norm,
///   zero padding, nearest-neighbour upsampling. After the convolution, in this order: the addition of a cropped
///   residual, an activation, a factor and shift per channel. The convolution may also compute block statistics of its
///   result for an instance norm that follows.
/// - Errors: the input's channels do not match the weights; the kernel is larger than the padded input.
///
/// **Source:** `ConvolutionLayerParams`; Dumoulin and Visin, arXiv:1603.07285.
public struct ConvolutionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Convolution", summary: "Σ w · x over a window, with groups, dilation, transposition")

  /// The padding around the image.
  public enum Padding: Sendable, Equatable {
    /// The numbers of rows and columns of zeros on the four sides. For deconvolution, the numbers of rows and columns
    /// that are cut off the four sides of the output.
    case valid(top: Int, left: Int, bottom: Int, right: Int)
    /// As many zeros as are needed for `⌈input size / stride⌉` outputs along each axis. If the number of zeros along an
    /// axis is odd, the extra zero is at the top or left if `topLeftHeavy` is true, otherwise at the bottom or right.
    case same(topLeftHeavy: Bool)
  }

  /// Two numbers, one for the height and one for the width.
  public struct Pair: Sendable, Equatable {
    /// Along the height.
    public var height: Int
    /// Along the width.
    public var width: Int
    /// Creates a pair.
    public init(_ height: Int, _ width: Int) { (self.height, self.width) = (height, width) }
  }

  /// The number of output channels.
  public var outputChannels: Int
  /// The number of input channels per group; for deconvolution, of all groups together.
  public var kernelChannels: Int
  /// The number of groups.
  public var groups: Int
  /// The window's height and width, in pixels.
  public var kernel: Pair
  /// The step between neighbouring windows, in input pixels; for deconvolution in output pixels.
  public var stride: Pair
  /// The step between neighbouring elements of a window, in pixels.
  public var dilation: Pair
  /// The padding around the image.
  public var padding: Padding
  /// Whether this is the transposed convolution.
  public var isDeconvolution: Bool
  /// The output size of a deconvolution, if the model states it.
  public var outputShape: Pair?
  /// The rows and columns that a deconvolution adds beyond its natural size, if the model states no output size. Set by
  /// ``Graph/freeOutputShapes(from:)``.
  public var outputPadding = Pair(0, 0)
  /// Whether the convolution adds a bias. The bias is the input after the weights.
  public var hasBias: Bool
  /// The factor by which the convolution enlarges its input in both directions before it applies the window. Each input
  /// pixel is repeated. Set by passes.
  public var upsampling = 1
  /// The first row and column of the residual that the convolution adds to its result. The added part of the residual
  /// has the size of the result. Nil if there is no residual. Set by passes.
  public var residual: CropOperator.Offset?
  /// The activation that is applied to the result; nil for none. Set by passes.
  public var activation: ActivationFunction?
  /// The upper bound of a ReLU, for example 6 for ReLU6. Nil for no bound. Set by passes, and only if ``activation`` is
  /// a ReLU.
  public var ceiling: Float?
  /// Whether every output channel is multiplied by a factor and increased by a shift after the activation. The factors
  /// and the shifts are the two inputs after the weights and the bias. Set by passes.
  public var appliesFactors = false
  /// Whether a second output holds the statistics of the result's blocks (``BlockStatistics``). Set by passes.
  public var takesStatistics = false
  /// An instance norm that the convolution applies to its first input while reading it. The norm may have an
  /// activation, but no residual. γ, β and the statistics of the first input's blocks are the last three inputs. Set by
  /// passes.
  public var inputNorm: BatchNormOperator?
  /// Whether other nodes also read the first input. Then the convolution must not overwrite that input with the result
  /// of ``inputNorm``. It needs a kernel that applies the norm while reading, or a copy of the input. Set by passes.
  public var sharesInput = false

  /// Creates a convolution.
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

  /// The shape of the weights, with the axes in the order of the model format.
  public var weightShape: Shape {
    isDeconvolution
      ? [kernelChannels, outputChannels / groups, kernel.height, kernel.width]
      : [outputChannels, kernelChannels, kernel.height, kernel.width]
  }

  /// The size of the dilated window, in pixels: `d · (k − 1) + 1`.
  package var window: Pair {
    Pair(dilation.height * (kernel.height - 1) + 1, dilation.width * (kernel.width - 1) + 1)
  }

  /// The index of the bias among the inputs; nil if there is none.
  package var biasInput: Int? { hasBias ? 2 : nil }

  /// The index of the factors among the inputs; the shifts are the next input. Nil if there are none.
  package var factorsInput: Int? { appliesFactors ? (hasBias ? 3 : 2) : nil }

  /// The index of the residual among the inputs; nil if there is none.
  package var residualInput: Int? { residual == nil ? nil : ownInputCount - 1 }

  /// The indices of γ, β and the statistics of ``inputNorm`` among the inputs; nil if there is no norm.
  package var normInputs: Range<Int>? {
    inputNorm == nil ? nil : ownInputCount..<ownInputCount + 3
  }

  /// The number of inputs that the operator reads.
  package var inputCount: Int { normInputs?.upperBound ?? ownInputCount }

  /// The number of inputs before those of ``inputNorm``.
  private var ownInputCount: Int {
    2 + (hasBias ? 1 : 0) + (appliesFactors ? 2 : 0) + (residual == nil ? 0 : 1)
  }

  /// Whether passes have fused other operators into this one. No file format has a layer for such a convolution, and
  /// such a convolution has no gradient. Neither is needed, because models are written and differentiated before the
  /// passes run.
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
