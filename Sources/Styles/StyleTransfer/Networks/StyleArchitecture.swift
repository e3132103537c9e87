/// How a style network is built: convolutions that make the picture smaller, residual blocks, nearest
/// upsamplings with convolutions behind them that make it large again.
///
/// Every convolution but the last has an instance norm behind it and a rectifier behind that (in a
/// residual block none follows the second norm). Convolutions pad with zeros; what those do at the
/// edges happens in a margin of mirrored pixels, which is cut off the painting.
///
/// **Source:** Johnson, Alahi, Fei-Fei, “Perceptual losses for real-time style transfer and
/// super-resolution”, arXiv:1603.08155, with its supplementary material; instance norm: Ulyanov,
/// Vedaldi, Lempitsky, arXiv:1607.08022; upsampling instead of transposed convolution, against
/// checkerboards: Odena, Dumoulin, Olah, 10.23915/distill.00003.
public struct StyleArchitecture: Sendable, Hashable {
  /// A convolution with its norm and rectifier.
  public struct Stage: Sendable, Hashable {
    /// The side of the window.
    public var kernel: Int
    /// How much smaller an encoding, or larger a decoding stage makes the picture.
    public var factor: Int
    /// The channels that it makes.
    public var channels: Int

    /// A stage.
    public init(kernel: Int, factor: Int, channels: Int) {
      self.kernel = kernel
      self.factor = factor
      self.channels = channels
    }
  }

  /// The mirrored pixels on each side; a multiple of the factors' product, and wide enough that the
  /// frame which zero padding leaves lies outside of the painting.
  public var margin: Int
  /// The mirrored pixels while training: fewer, as the loss hardly minds the frame, and the time goes
  /// where the style is.
  public var trainingMargin: Int
  /// The stages that make the picture smaller.
  public var encoding: [Stage]
  /// The residual blocks of two convolutions of 3 × 3.
  public var residualBlocks: Int
  /// The stages that make the picture larger.
  public var decoding: [Stage]
  /// The last convolution, to three channels, upsampled by its factor in front.
  public var last: Stage
  /// Whether convolutions lead past the middle of the network: from each encoding stage to the decoding stage
  /// of its size, and from the picture to the painting. What norms take away, how light and how contrasty a
  /// picture is, reaches the painting by them.
  ///
  /// **Source:** shortcuts between stages of a size: Ronneberger, Fischer, Brox, arXiv:1505.04597.
  public var hasShortcuts: Bool

  /// An architecture.
  public init(
    margin: Int, trainingMargin: Int? = nil, encoding: [Stage], residualBlocks: Int,
    decoding: [Stage], last: Stage, hasShortcuts: Bool = false
  ) {
    self.margin = margin
    self.trainingMargin = trainingMargin ?? margin
    self.encoding = encoding
    self.residualBlocks = residualBlocks
    self.decoding = decoding
    self.last = last
    self.hasShortcuts = hasShortcuts
  }

  /// Johnson's network with shortcuts, 1.72 million parameters.
  public static let johnson = StyleArchitecture(
    margin: 48, trainingMargin: 16,
    encoding: [
      Stage(kernel: 9, factor: 1, channels: 32), Stage(kernel: 3, factor: 2, channels: 64),
      Stage(kernel: 3, factor: 2, channels: 128),
    ],
    residualBlocks: 5,
    decoding: [
      Stage(kernel: 3, factor: 2, channels: 64), Stage(kernel: 3, factor: 2, channels: 32),
    ],
    last: Stage(kernel: 9, factor: 1, channels: 3),
    hasShortcuts: true)

  /// The network for video, 154 thousand parameters: the picture is halved at once, channels are
  /// multiples of 16, and only 16 of them have full resolution.
  public static let lite = StyleArchitecture(
    margin: 28, trainingMargin: 8,
    encoding: [
      Stage(kernel: 7, factor: 2, channels: 16), Stage(kernel: 3, factor: 2, channels: 48),
    ],
    residualBlocks: 3,
    decoding: [
      Stage(kernel: 3, factor: 2, channels: 32), Stage(kernel: 3, factor: 2, channels: 16),
    ],
    last: Stage(kernel: 5, factor: 1, channels: 3))

  /// The channels of the residual blocks.
  var residualChannels: Int { encoding.last?.channels ?? 3 }

  /// How many times smaller the picture is in the middle.
  public var reduction: Int { encoding.reduce(1) { $0 * $1.factor } }

  /// The smallest side of a picture: mirroring needs more pixels than it adds.
  public var smallestSide: Int { max(32, margin + 1) }
}
