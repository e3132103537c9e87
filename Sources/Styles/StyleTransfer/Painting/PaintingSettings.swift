import Engine
import Imaging

/// How a picture is painted by optimisation.
public struct PaintingSettings: Sendable {
  /// How the picture is brought closer.
  public enum Method: String, Sendable, CaseIterable {
    /// Quasi-Newton steps: fewer and better.
    case lbfgs
    /// Evened out gradient steps: less memory.
    case adam
  }

  /// What the picture is before the first step.
  public enum Start: String, Sendable, CaseIterable {
    /// The photo.
    case photo
    /// Noise, the same for one seed.
    case noise
    /// The first painting, stretched over the picture.
    case style
  }

  /// The losses and their weights.
  public var loss = PerceptualLoss()
  /// The longer side of the picture in pixels; nil for the photo's own.
  public var size: Int? = PaintingSettings.defaultSize
  /// All steps together; they are shared out evenly among the scales.
  public var iterations: Int = PaintingSettings.defaultIterations
  /// How the picture is brought closer.
  public var method: Method = .lbfgs
  /// What the picture is before the first step.
  public var start: Start = .photo
  /// What noise begins with.
  public var seed: UInt64 = 0
  /// What happens to the photo's colours; nil lets the style have its own.
  public var colors: ColorKeeping?
  /// The numbers and threads of the network.
  public var execution = ExecutionOptions()

  /// The longer side where none is given.
  public static let defaultSize = 512
  /// The steps where no number is given.
  public static let defaultIterations = 300
  /// The strength that means the default weights.
  public static let defaultStrength: Double = 5

  /// The defaults.
  public init() {}

  /// How strong the style is, 1…10: each step up makes it weigh half as much again.
  public mutating func setStrength(_ strength: Double) {
    var factor: Double = 1
    let steps: Int = Int(abs(strength - Self.defaultStrength).rounded())
    for _ in 0..<steps { factor *= strength < Self.defaultStrength ? 1 / 1.5 : 1.5 }
    loss.styleWeight = PerceptualLoss.defaultStyleWeight * factor
  }

  /// Lets the picture show the photo and nothing else: what layers of the network keep of it is put
  /// together again, from noise. Deep layers keep what is there, and lose where and in which colours.
  ///
  /// **Source:** Mahendran and Vedaldi, “Understanding Deep Image Representations by Inverting Them”,
  /// arXiv:1412.0035.
  public mutating func showOnlyContent(of layers: [String]) {
    if !layers.isEmpty { loss.content = layers.map { PerceptualLoss.Term($0) } }
    loss.styleWeight = 0
    loss.contentWeight = 1
    loss.smoothness = 0.01
    start = .noise
  }

  /// Lets the picture have the style and show nothing: a texture, from noise.
  ///
  /// **Source:** Gatys, Ecker and Bethge, “Texture Synthesis Using Convolutional Neural Networks”,
  /// arXiv:1505.07376.
  public mutating func takeOnlyStyle() {
    loss.contentWeight = 0
    start = .noise
  }

  /// The longer sides that are painted one after the other, the last one the picture's: each twice the
  /// one before, none below 192, where faces
  /// would be lost.
  static func scales(upTo side: Int) -> [Int] {
    var result: [Int] = [side]
    while result.count < 4, result[0] / 2 >= 192 { result.insert(result[0] / 2, at: 0) }
    return result
  }

  /// The steps at each of some scales; the earlier ones get what cannot be shared.
  static func shares(of iterations: Int, among scales: Int) -> [Int] {
    (0..<scales).map { iterations / scales + ($0 < iterations % scales ? 1 : 0) }
  }
}

/// A painting whose style is to be taken on.
public struct PaintingStyle: Sendable {
  /// The painting.
  public var painting: Picture
  /// How much it counts beside others.
  public var weight: Double
  /// Where it goes; nil for everywhere.
  public var mask: StyleMask?

  /// A style.
  public init(_ painting: Picture, weight: Double = 1, mask: StyleMask? = nil) {
    self.painting = painting
    self.weight = weight
    self.mask = mask
  }
}

/// Where the work stands after a step.
public struct PaintingProgress: Sendable {
  /// Steps done, over all scales.
  public let iteration: Int
  /// All steps.
  public let iterations: Int
  /// The size that is painted now.
  public let width: Int
  /// The size that is painted now.
  public let height: Int
  /// The loss.
  public let loss: Double
  /// The share of the work that is done, 0…1: steps weighed with the pixels that they touch.
  public let share: Double
}
