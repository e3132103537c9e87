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
///   for deconvolution `[C, O / groups, kh, kw]`. The bias `[O]`, if the operator has one.
/// - Output: `[…, O, H', W']`. For a convolution `H' = (H + top + bottom − (d·(kh − 1) + 1)) / s + 1`, rounded down, or
///   `⌈H / s⌉` with *same* padding. For a deconvolution `H' = (H − 1)·s + d·(kh − 1) + 1 − top − bottom`, or `H · s`
///   with *same* padding; if ``outputShape`` is set, it replaces this size. `W'` follows the same rules. If
///   ``outputShape`` is greater than the natural size, the added rows and columns are at the bottom and right.
/// - Defaults of the initialiser: kernel 3 × 3, stride 1, dilation 1, one group, no padding.
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

  /// The number of inputs that the operator reads.
  private var inputCount: Int { hasBias ? 3 : 2 }

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
    if let biasInput, inputs[biasInput].shape.count != outputChannels {
      throw EngineError(
        .invalidInput,
        "the bias given as input is \(inputs[biasInput].shape), expected \(outputChannels) numbers."
      )
    }
    let geometry = try Geometry(self, height: input.height, width: input.width)
    var shape = inputs[0].shape
    shape[-3] = outputChannels
    shape[-2] = geometry.outputHeight
    shape[-1] = geometry.outputWidth
    return [TensorType(shape)]
  }
}
