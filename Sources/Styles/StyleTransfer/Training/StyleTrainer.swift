import Engine
import Imaging
import Training

/// Trains a style network step by step. A step depends on the settings, the pictures, the weights and
/// its number alone.
public final class StyleTrainer {
  /// What it is trained with.
  public let settings: StyleTrainingSettings
  /// How many steps were taken.
  public private(set) var iteration: Int = 0
  private let start: StyleNetwork
  private let contents: ContentPictures
  private let features: FeatureNetwork
  private let weights: PerceptualLoss
  private let options: ExecutionOptions
  private let trainer: Trainer
  private let reports: [StyleTrainingGraph.Report]

  /// How far the noise goes under which a painting is to stay as it is, of 255.
  private static let noise: Double = 8
  /// How many photos tell what a grey picture loses.
  private static let comparedPhotos: Int = 4

  /// A trainer that has taken no step.
  ///
  /// - Parameters:
  ///   - painting: the style picture, of any size.
  ///   - features: what losses are measured with.
  ///   - network: where it starts.
  ///   - weights: the loss; the settings' strength and smoothness are applied to it.
  public init(
    settings: StyleTrainingSettings, painting: Picture, contents: ContentPictures,
    features: FeatureNetwork, network: StyleNetwork, weights: PerceptualLoss = .forTraining,
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    try settings.check()
    self.settings = settings
    self.contents = contents
    self.features = features
    self.options = options
    start = network
    var weights: PerceptualLoss = weights
    weights.styleWeight *= settings.styleFactor
    weights.smoothness *= settings.smoothness
    self.weights = weights
    let targets = try StyleTargets(
      of: try painting.asStylePicture(texelDensity: settings.texelDensity), by: features,
      layers: weights.styleLayers, options: options)
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: targets, features: features, weights: weights)
    // Steps are noisier than any rounding.
    var tolerant: ExecutionOptions = options
    tolerant.isTolerant = true
    let told = StyleTrainingGraph.Report.allCases.filter { built.reports[$0] != nil }
    reports = told
    trainer = try Trainer(
      built.graph, loss: built.loss, reporting: told.compactMap { built.reports[$0] },
      parameters: built.parameters, optimizer: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8),
      options: tolerant)
  }

  /// Takes a step.
  public func step() throws -> StyleLosses {
    let rate: Double = settings.learningRate(at: iteration)
    let measured: [Float] = try trainer.step(try pictures(), learningRate: Float(rate))
    iteration += 1
    guard measured.allSatisfy(\.isFinite) else {
      throw StyleTransferError(
        .numbers,
        "The losses of iteration \(iteration) are no numbers any more. Lower the learning rate"
          + " (\(settings.learningRate)) or the strength (\(settings.strength)).")
    }
    var parts: [StyleTrainingGraph.Report: Double] = [:]
    for (report, value) in zip(reports, measured.dropFirst()) { parts[report] = Double(value) }
    return StyleLosses(
      iteration: iteration, total: Double(measured[0]), content: parts[.content] ?? 0,
      style: parts[.style] ?? 0, smoothness: parts[.smoothness] ?? 0,
      stability: parts[.stability] ?? 0, learningRate: rate)
  }

  /// The content's loss of a grey picture in place of the first photos.
  func contentOfGrey() throws -> Double {
    let side: Int = settings.pictureSide
    let photos: [Float] = try (0..<Self.comparedPhotos).flatMap {
      try contents.sample($0, side: side, seed: settings.seed).planes
    }
    return try weights.contentOfGrey(
      for: FloatTensor([Self.comparedPhotos, 3, side, side], photos), network: features,
      options: options)
  }

  /// The network as it is now.
  public var network: StyleNetwork { start.with(trainer.state.parameters) }

  /// All that a later step depends on besides settings and pictures.
  var state: TrainerState { trainer.state }

  /// Goes on where another trainer of the same settings and pictures was.
  func restore(_ state: TrainerState, iteration: Int) {
    trainer.state = state
    self.iteration = iteration
  }

  /// The inputs of the next step: photos, and the same moved by a pixel under noise.
  private func pictures() throws -> [[Float]] {
    let side: Int = settings.pictureSide
    let isMoved: Bool = settings.stability > 0
    var photos: [Float] = []
    var moved: [Float] = []
    photos.reserveCapacity(settings.batchSize * side * side * 3)
    for position in 0..<settings.batchSize {
      let index: Int = iteration * settings.batchSize + position
      guard isMoved else {
        photos += try contents.sample(index, side: side, seed: settings.seed).planes
        continue
      }
      let larger: Picture = try contents.sample(index, side: side + 1, seed: settings.seed)
      photos += try larger.cropped(x: 0, y: 0, width: side, height: side).planes
      var generator = SampleGenerator(counting: UInt64(index), seed: settings.seed ^ 0x4E_4F49_5345)
      moved += try larger.cropped(x: 1, y: 1, width: side, height: side).planes.map {
        $0 + Float(generator.uniform(-Self.noise...Self.noise))
      }
    }
    return isMoved ? [photos, moved] : [photos]
  }
}
