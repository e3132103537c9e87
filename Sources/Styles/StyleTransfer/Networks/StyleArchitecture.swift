/// The architecture of a style network: convolutions with strides that reduce the picture, residual blocks, and
/// nearest-neighbour upsampling followed by convolutions.
///
/// An instance norm and a ReLU follow every convolution but the last. In a residual block, no ReLU follows the second
/// norm. Convolutions pad with zeros. The padding affects only a margin of mirrored pixels, which is added to the
/// picture and cropped from the painting.
///
/// **Source:** Johnson, Alahi, Fei-Fei, “Perceptual losses for real-time style transfer and super-resolution”,
/// arXiv:1603.08155, with its supplementary material; instance norm: Ulyanov, Vedaldi, Lempitsky, arXiv:1607.08022;
/// upsampling instead of transposed convolution, which avoids checkerboard artefacts: Odena, Dumoulin, Olah,
/// 10.23915/distill.00003.
public struct StyleArchitecture: Sendable, Hashable {
  /// A convolution with its norm and ReLU.
  public struct Stage: Sendable, Hashable {
    /// The side of the square kernel.
    public var kernel: Int
    /// The factor by which an encoding stage reduces the picture, or a decoding stage enlarges it.
    public var factor: Int
    /// The number of output channels.
    public var channels: Int

    /// Creates a stage.
    public init(kernel: Int, factor: Int, channels: Int) {
      self.kernel = kernel
      self.factor = factor
      self.channels = channels
    }
  }

  /// The number of mirrored pixels on each side. It is a multiple of the product of the factors, and so large that zero
  /// padding does not affect the painting.
  public var margin: Int
  /// The number of mirrored pixels on each side during training. A smaller margin saves time. Zero padding then affects
  /// the border of the painting, but the border hardly affects the loss.
  public var trainingMargin: Int
  /// The stages that reduce the picture.
  public var encoding: [Stage]
  /// The number of residual blocks. Each has two convolutions of 3 × 3.
  public var residualBlocks: Int
  /// The stages that enlarge the picture.
  public var decoding: [Stage]
  /// The last convolution, which has three output channels. Its input is first upsampled by its factor.
  public var last: Stage
  /// The shortcut convolutions.
  public var shortcuts: Shortcuts
  /// The number of styles of a network with conditional instance norms. 0 for a network with one style.
  ///
  /// Such a network has a second input, the weights of the styles, `[N, styles, 1, 1]`. Its convolutions are shared by all
  /// styles. Each norm has a scale and an offset for each style, and uses their sums with these weights.
  ///
  /// **Source:** Dumoulin, Shlens, Kudlur, “A learned representation for artistic style”, arXiv:1610.07629.
  public var styleCount: Int

  /// The shortcut convolutions of a network. Instance norms remove the brightness and contrast of a picture, and the
  /// shortcuts pass them to the painting.
  ///
  /// **Source:** shortcuts between stages of the same size: Ronneberger, Fischer, Brox, arXiv:1505.04597.
  public enum Shortcuts: String, Sendable, Hashable, Codable, CaseIterable {
    /// No shortcuts.
    case none
    /// From each encoding stage to the decoding stage of the same size.
    case stages
    /// Between stages, and 5 × 5 from the picture to the painting.
    case stagesAndPicture
  }

  /// Creates an architecture.
  public init(
    margin: Int, trainingMargin: Int? = nil, encoding: [Stage], residualBlocks: Int,
    decoding: [Stage], last: Stage, shortcuts: Shortcuts = .none, styleCount: Int = 0
  ) {
    self.margin = margin
    self.trainingMargin = trainingMargin ?? margin
    self.encoding = encoding
    self.residualBlocks = residualBlocks
    self.decoding = decoding
    self.last = last
    self.shortcuts = shortcuts
    self.styleCount = styleCount
  }

  /// Johnson's network with shortcuts. It has 1.72 million parameters.
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
    shortcuts: .stagesAndPicture)

  /// The network for video. It has 154,000 parameters. The first layer halves the picture, the numbers of channels are
  /// multiples of 16, and only 16 channels have full resolution.
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

  /// The number of channels of the residual blocks.
  var residualChannels: Int { encoding.last?.channels ?? 3 }

  /// The factor by which the encoding stages reduce the picture.
  public var reduction: Int { encoding.reduce(1) { $0 * $1.factor } }

  /// The smallest side of a picture in pixels. Mirroring needs more pixels than it adds.
  public var smallestSide: Int { max(32, margin + 1) }
}
