import Foundation

/// What a style is trained with. Two trainings with the same settings, pictures and start end with
/// the same weights, bit for bit, on one machine.
public struct StyleTrainingSettings: Sendable, Hashable, Codable {
  /// The network.
  public var algorithm: StyleAlgorithm
  /// How many steps are taken.
  public var iterations: Int
  /// The pictures of one step.
  public var batchSize: Int
  /// The side of those pictures, in pixels.
  public var pictureSide: Int
  /// The shorter side of the painting that is learned from, in pixels, 64…1024. The more, the finer
  /// the details that are learned, and the larger the strokes.
  public var texelDensity: Int
  /// How much of the style there is to be, 1…10; 5 weighs style and content as the loss does.
  public var strength: Int
  /// The seed of weights, crops and order.
  public var seed: UInt64
  /// The largest learning rate.
  public var learningRate: Double
  /// What the loss's weight of smoothness (total variation) is multiplied by.
  public var smoothness: Double
  /// What stability under noise and shifts weighs; 0 computes none.
  public var stability: Double

  /// Settings; what is not given is the algorithm's. Two pictures a step for `cnn` and one for `cnnLite`,
  /// where the second painting of each costs as much, let 500 steps end within minutes; more steps of few
  /// pictures taught more than the reverse in the same time.
  public init(
    algorithm: StyleAlgorithm = .cnn, iterations: Int = 500, batchSize: Int? = nil,
    pictureSide: Int = 256, texelDensity: Int = 256, strength: Int = 5, seed: UInt64 = 1,
    learningRate: Double? = nil, smoothness: Double = 1, stability: Double? = nil
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
  }

  /// The least and the most that texel density may be.
  public static let densities: ClosedRange<Int> = 64...1024
  /// The least and the most that strength may be.
  public static let strengths: ClosedRange<Int> = 1...10

  /// Throws where a setting is out of its range.
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
  }

  /// What the strength multiplies the weight of the style by: half as much again a step.
  public var styleFactor: Double { pow(1.5, Double(strength - 5)) }

  /// The learning rate of a step, counted from 0: it rises for the first steps, so that the first
  /// gradients, which say little, do no harm; it stays; it falls to a twentieth along half a cosine
  /// in the second half, so that the end is not noisy.
  public func learningRate(at iteration: Int) -> Double {
    let rise: Int = min(20, max(1, iterations / 10))
    if iteration < rise { return learningRate * Double(iteration + 1) / Double(rise) }
    let half: Int = iterations / 2
    guard iteration > half, iterations > half else { return learningRate }
    let way: Double = min(1, Double(iteration - half) / Double(iterations - half))
    return learningRate * (0.05 + 0.95 * 0.5 * (1 + cos(.pi * way)))
  }
}
