import Engine
import Imaging

/// A method of painting by optimisation.
public enum PaintingMethod: String, Sendable, CaseIterable {
  /// Neural neighbours: each position of the picture gets the features of the most similar position in the painting.
  /// Every stroke is the painter's. See ``NeighborPainter``.
  case neighbors
  /// Gram matrices from coarse to fine: the picture gets the statistics of the painting's features, and forms as large
  /// as the painting's. See ``GramPainter``.
  case gram
  /// No style: reconstructs the photo from its features, starting from noise. See ``FeatureReconstruction``.
  case reconstruction
}

/// The number of steps. More steps give better paintings and take longer.
public enum PaintingPreset: String, Sendable, CaseIterable {
  /// A first look.
  case draft
  /// The default.
  case good
  /// The numbers of steps of the methods' authors.
  case best

  /// Returns the number of steps of neural neighbours at a scale with the longer side `side`, in pixels.
  func neighborSteps(atSide side: Int) -> Int {
    let good: Int = side <= 160 ? 50 : side <= 320 ? 40 : side <= 640 ? 25 : 15
    switch self {
    case .draft: return good / 2
    case .good: return good
    case .best: return side <= 320 ? 200 : side <= 640 ? 100 : 50
    }
  }

  /// Returns the number of steps in the last phase of neural neighbours (``LayerNeighborObjective``). `side` is the
  /// longer side of the painting in pixels. For a large painting, these steps change little and take long.
  func finalNeighborSteps(atSide side: Int) -> Int {
    let good: Int = side <= 640 ? 120 : side <= 1280 ? 24 : 12
    switch self {
    case .draft: return good / 8
    case .good: return good
    case .best: return good * 5 / 3
    }
  }

  /// The learning rate of neural neighbours, for samples of 0…255.
  var neighborRate: Double { self == .best ? 0.51 : 1.02 }

  /// Returns the number of steps for Gram matrices at a scale with the longer side `side`, in pixels.
  func gramSteps(atSide side: Int) -> Int {
    let good: Int = side <= 150 ? 120 : side <= 220 ? 100 : side <= 300 ? 70 : side <= 430 ? 50 : 40
    switch self {
    case .draft: return good * 2 / 5
    case .good: return good
    case .best: return good * 3
    }
  }

  /// The decay of the exponential mean over the steps for Gram matrices.
  var meanDecay: Double { self == .best ? 0.99 : 0.95 }
}

/// The settings for painting by optimisation.
public struct PaintingSettings: Sendable {
  /// The picture before the first step of ``PaintingMethod/gram``.
  public enum Start: String, Sendable, CaseIterable {
    /// The photo.
    case photo
    /// Noise. Equal seeds give equal noise.
    case noise
    /// The first painting, stretched to the size of the picture.
    case style
  }

  /// The method.
  public var method: PaintingMethod = .neighbors
  /// How many steps are taken at each scale.
  public var preset: PaintingPreset = .good
  /// The longer side of the picture in pixels. Nil for the photo's longer side.
  public var size: Int? = PaintingSettings.defaultSize
  /// The total number of steps, divided among the scales in the preset's ratio. Nil for the preset's number.
  public var iterations: Int?
  /// The strength of the style: 0 keeps the photo, 1 is the method's own balance, and larger values change forms more.
  public var strength: Double = 1
  /// The picture before the first step of ``PaintingMethod/gram``.
  public var start: Start = .photo
  /// Whether the photo's content is ignored, so that ``PaintingMethod/gram`` paints a texture.
  public var ignoresContent: Bool = false
  /// The seed of all random numbers.
  public var seed: UInt64 = 0
  /// How the photo's colours are preserved. Nil for the style's colours.
  public var colors: ColorKeeping?
  /// Whether the finished picture gets the mean, the contrast and the covariance of the paintings' colours, within
  /// ``Palette/Limits/optimization``. Pictures with masks keep the colours of the optimisation.
  public var matchesColors: Bool = true
  /// The layers that ``PaintingMethod/neighbors`` compares.
  public var neighborLayers: [String] = Hypercolumns.defaultLayers
  /// The style layers of ``PaintingMethod/gram`` and the factors of their losses.
  public var gramLayers: [PerceptualLoss.Term] = zip(1...5, [256, 64, 16, 4, 1]).map {
    PerceptualLoss.Term("relu\($0)_1", weight: $1 / 341)
  }
  /// The content layer of ``PaintingMethod/gram``.
  public var gramContentLayer: String = "relu4_2"
  /// The layers of ``PaintingMethod/reconstruction``.
  public var reconstructionLayers: [String] = ["relu3_3"]
  /// The precision and the threads of the network.
  public var execution = ExecutionOptions()

  /// The default longer side, in pixels.
  public static let defaultSize = 512
  /// The range of ``strength``.
  public static let strengths: ClosedRange<Double> = 0...1.5

  /// The factor of the content loss of ``PaintingMethod/gram`` at the strength 1.
  private static let contentWeight: Double = 0.015
  /// The factor of the smoothness loss of ``PaintingMethod/gram``.
  private static let smoothness: Double = 2

  /// Creates the default settings.
  public init() {}

  /// Uses only the content: reconstructs the photo from the features of layers, starting from noise. The features of
  /// deep layers tell what is in the photo, but not exactly where and in which colours.
  public mutating func showOnlyContent(of layers: [String]) {
    method = .reconstruction
    if !layers.isEmpty { reconstructionLayers = layers }
  }

  /// Uses only the style: paints a texture, starting from noise.
  ///
  /// **Source:** Gatys, Ecker and Bethge, “Texture Synthesis Using Convolutional Neural Networks”,
  /// arXiv:1505.07376.
  public mutating func takeOnlyStyle() {
    method = .gram
    ignoresContent = true
    start = .noise
  }

  /// The factors of the losses of ``PaintingMethod/gram``. Each increase of the strength by 0.1 divides the factor of
  /// the content loss by 1.58. The factors of the style losses are reduced for strengths below 0.25.
  var gramWeights: GramObjective.Weights {
    var factor: Double = 1
    for _ in 0..<Int((abs(1 - strength) * 10).rounded()) {
      factor *= strength < 1 ? 1.5849 : 1 / 1.5849
    }
    let style: Double = min(1, 4 * strength)
    return GramObjective.Weights(
      style: gramLayers.map { PerceptualLoss.Term($0.layer, weight: $0.weight * style) },
      content: ignoresContent
        ? nil : PerceptualLoss.Term(gramContentLayer, weight: Self.contentWeight * factor),
      smoothness: Self.smoothness)
  }
}

/// A painting as the source of a style.
public struct PaintingStyle: Sendable {
  /// The painting.
  public var painting: Picture
  /// The weight of this painting's style when several styles are mixed.
  public var weight: Double
  /// The part of the picture with this style. Nil for the complete picture.
  public var mask: StyleMask?

  /// Creates a style.
  public init(_ painting: Picture, weight: Double = 1, mask: StyleMask? = nil) {
    self.painting = painting
    self.weight = weight
    self.mask = mask
  }
}

/// The progress after a step.
public struct PaintingProgress: Sendable {
  /// The number of steps taken so far, over all scales.
  public let iteration: Int
  /// The total number of steps, over all scales.
  public let iterations: Int
  /// The width of the current scale, in pixels.
  public let width: Int
  /// The height of the current scale, in pixels.
  public let height: Int
  /// The loss after the step.
  public let loss: Double
  /// The share of the work that is done, 0…1. Each step is weighted by its number of pixels.
  public let share: Double
}
