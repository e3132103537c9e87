import Foundation

/// The settings of a training. Two trainings with the same settings, pictures and initial network give the same weights
/// on one machine, bit for bit.
public struct StyleTrainingSettings: Sendable, Hashable, Codable {
  /// The kind of network to train.
  public var algorithm: StyleAlgorithm
  /// The number of steps.
  public var iterations: Int
  /// The number of pictures per step.
  public var batchSize: Int
  /// The side of the square pictures of a step, in pixels.
  public var pictureSide: Int
  /// The shorter side to which the painting is scaled, in pixels, 64…1024. A higher density gives finer details and
  /// larger brush strokes.
  public var texelDensity: Int
  /// The strength of the style, 1…10. At 5, the loss has its default weights.
  public var strength: Int
  /// The seed of the initial weights, of the crops, and of the order of the photos.
  public var seed: UInt64
  /// The largest learning rate.
  public var learningRate: Double
  /// The factor of the smoothness weight (total variation).
  public var smoothness: Double
  /// The weight of the stability loss, which makes paintings less sensitive to noise and shifts. 0 leaves the loss out.
  public var stability: Double
  /// The loss, the pictures, and the shortcuts of the network.
  public var recipe: TrainingRecipe
  /// The parameters that the training changes.
  public var trained: TrainedParameters

  /// The parameters that a training changes.
  public enum TrainedParameters: String, Sendable, Hashable, Codable {
    /// All parameters.
    case all
    /// The scales and offsets of the norms. The convolutions stay those of the initial network, so that the style can be
    /// added to a network of several styles.
    case norms
  }

  /// Creates settings. Parameters that are nil get the algorithm's defaults.
  ///
  /// The default batch size is 2 for `cnn`, and 1 for `cnnLite`, whose stability loss paints each picture twice. With
  /// these batch sizes, 500 steps take minutes. For the same training time, more steps with smaller batches gave better
  /// results.
  public init(
    algorithm: StyleAlgorithm = .cnn, iterations: Int = 500, batchSize: Int? = nil,
    pictureSide: Int = 256, texelDensity: Int = 256, strength: Int = 5, seed: UInt64 = 1,
    learningRate: Double? = nil, smoothness: Double = 1, stability: Double? = nil,
    recipe: TrainingRecipe = .standard, trained: TrainedParameters = .all
  ) {
    self.algorithm = algorithm
    self.iterations = iterations
    self.batchSize = batchSize ?? (algorithm == .cnnLite ? 1 : 2)
    self.pictureSide = pictureSide
    self.texelDensity = texelDensity
    self.strength = strength
    self.seed = seed
    self.learningRate = learningRate ?? (algorithm == .cnnLite ? 2e-3 : 1e-3)
    self.smoothness = smoothness
    self.stability = stability ?? (algorithm == .cnnLite ? 20 : 0)
    self.recipe = recipe
    self.trained = trained
  }

  /// Reads settings. Settings that an earlier version wrote without a recipe get ``TrainingRecipe/equalLayers``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    algorithm = try container.decode(StyleAlgorithm.self, forKey: .algorithm)
    iterations = try container.decode(Int.self, forKey: .iterations)
    batchSize = try container.decode(Int.self, forKey: .batchSize)
    pictureSide = try container.decode(Int.self, forKey: .pictureSide)
    texelDensity = try container.decode(Int.self, forKey: .texelDensity)
    strength = try container.decode(Int.self, forKey: .strength)
    seed = try container.decode(UInt64.self, forKey: .seed)
    learningRate = try container.decode(Double.self, forKey: .learningRate)
    smoothness = try container.decode(Double.self, forKey: .smoothness)
    stability = try container.decode(Double.self, forKey: .stability)
    recipe = try container.decodeIfPresent(TrainingRecipe.self, forKey: .recipe) ?? .equalLayers
    trained = try container.decodeIfPresent(TrainedParameters.self, forKey: .trained) ?? .all
  }

  /// The architecture of the network to train.
  public var architecture: StyleArchitecture {
    var architecture: StyleArchitecture = algorithm.architecture
    if architecture.shortcuts != .none { architecture.shortcuts = recipe.shortcuts }
    return architecture
  }

  /// The range of the texel density.
  public static let densities: ClosedRange<Int> = 64...1024
  /// The range of the strength.
  public static let strengths: ClosedRange<Int> = 1...10

  /// Throws if a setting is out of its range.
  public func check() throws {
    func require(_ holds: Bool, _ what: String, _ found: some Any, _ range: String) throws {
      guard !holds else { return }
      throw StyleTransferError(.input, "\(what) is \(found), expected \(range).")
    }
    try require(
      Self.densities.contains(texelDensity), "The texel density", texelDensity, "64 to 1024")
    try require(Self.strengths.contains(strength), "The style's strength", strength, "1 to 10")
    try require(iterations >= 1, "The number of iterations", iterations, "at least 1")
    try require((1...64).contains(batchSize), "The batch", batchSize, "1 to 64 pictures")
    let step: Int = algorithm.architecture.reduction
    try require(
      (32...1024).contains(pictureSide) && pictureSide % step == 0, "The pictures' side",
      pictureSide, "32 to 1024 pixels, a multiple of \(step)")
    try require(
      learningRate > 0 && learningRate <= 1, "The learning rate", learningRate, "0 to 1")
    for (name, weight) in [
      ("The weight of the content", recipe.content.weight),
      ("The weight of the colours", recipe.colorWeight),
      ("The weight of the neighbours", recipe.neighborWeight),
    ] {
      try require(weight.isFinite && weight >= 0, name, weight, "a number of 0 or more")
    }
    try require(
      (0...1_000_000).contains(recipe.photos.photosPerExposure),
      "The number of photos per exposure", recipe.photos.photosPerExposure, "0 to 1000000")
  }

  /// The factor of the style weight. It increases by a factor of 1.5 for each unit of ``strength``, and is 1 at 5.
  public var styleFactor: Double { pow(1.5, Double(strength - 5)) }

  /// Returns the learning rate of a step, counted from 0. It rises during the first steps (warm-up), because the first
  /// gradients are unreliable. Then it is constant. In the second half of the training, it falls to a twentieth along a
  /// half cosine, which makes the last steps less noisy.
  public func learningRate(at iteration: Int) -> Double {
    let rise: Int = min(20, max(1, iterations / 10))
    if iteration < rise { return learningRate * Double(iteration + 1) / Double(rise) }
    let half: Int = iterations / 2
    guard iteration > half, iterations > half else { return learningRate }
    let way: Double = min(1, Double(iteration - half) / Double(iterations - half))
    return learningRate * (0.05 + 0.95 * 0.5 * (1 + cos(.pi * way)))
  }
}
