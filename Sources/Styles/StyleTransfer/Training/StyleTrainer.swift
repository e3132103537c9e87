import Engine
import Imaging
import Training

/// Trains a style network step by step. A step depends only on the settings, the pictures, the trainer's state and the
/// number of the step.
public final class StyleTrainer {
  /// The settings of the training.
  public let settings: StyleTrainingSettings
  /// The number of steps taken.
  public private(set) var iteration: Int = 0
  private let start: StyleNetwork
  private let contents: ContentPictures
  private let features: FeatureNetwork
  private let weights: PerceptualLoss
  private let options: ExecutionOptions
  private let trainer: Trainer
  private let reports: [StyleTrainingGraph.Report]
  private let built: StyleTrainingGraph
  private let styleCount: Int

  /// The amplitude of the noise for the stability loss, for samples of 0…255.
  private static let noise: Double = 8
  /// The number of photos that ``contentOfGrey()`` compares with a grey picture.
  private static let comparedPhotos: Int = 4

  /// Creates a trainer before its first step.
  ///
  /// - Parameters:
  ///   - paintings: The style pictures, of any size: one, or several if the network has several styles. A network with
  ///     one style more than paintings learns to reproduce photos as its last style.
  ///   - features: The network that computes features for the losses.
  ///   - network: The initial network.
  ///   - weights: The loss, to which the strength and smoothness of the settings are applied. Nil for the recipe's.
  public init(
    settings: StyleTrainingSettings, paintings: [Picture], contents: ContentPictures,
    features: FeatureNetwork, network: StyleNetwork, weights: PerceptualLoss? = nil,
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    try settings.check()
    self.settings = settings
    self.contents = contents
    self.features = features
    self.options = options
    start = network
    var weights: PerceptualLoss = weights ?? .forTraining(settings.recipe)
    weights.styleWeight *= settings.styleFactor
    weights.smoothness *= settings.smoothness
    self.weights = weights
    var targets: [StyleTargets?] = try paintings.map {
      try StyleTargets(
        of: try $0.asStylePicture(texelDensity: settings.texelDensity), by: features,
        layers: weights.styleLayers, neighborLayers: weights.neighborLayers, options: options)
    }
    styleCount = network.architecture.styleCount
    if styleCount == targets.count + 1 { targets.append(nil) }
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: targets, features: features, weights: weights)
    // Allow faster kernels with larger rounding errors. The noise of the gradients is larger than these errors.
    var tolerant: ExecutionOptions = options
    tolerant.isTolerant = true
    let reported = StyleTrainingGraph.Report.allCases.filter { built.reports[$0] != nil }
    reports = reported
    self.built = built
    trainer = try Trainer(
      built.graph, loss: built.loss, reporting: reported.compactMap { built.reports[$0] },
      parameters: built.parameters, optimizer: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8),
      options: tolerant)
  }

  /// Takes a training step, and returns its losses.
  public func step() throws -> StyleLosses {
    let rate: Double = settings.learningRate(at: iteration)
    let measured: [Float] = try trainer.step(
      try pictures() + built.styleInputs(of: styles), learningRate: Float(rate))
    iteration += 1
    guard measured.allSatisfy(\.isFinite) else {
      throw StyleTransferError(
        .numbers,
        "The losses of iteration \(iteration) are not numbers any more. Lower the learning rate"
          + " (\(settings.learningRate)) or the strength (\(settings.strength)).")
    }
    var parts: [StyleTrainingGraph.Report: Double] = [:]
    for (report, value) in zip(reports, measured.dropFirst()) { parts[report] = Double(value) }
    return StyleLosses(
      iteration: iteration, total: Double(measured[0]), content: parts[.content] ?? 0,
      style: parts[.style] ?? 0, smoothness: parts[.smoothness] ?? 0,
      stability: parts[.stability] ?? 0, color: parts[.color] ?? 0,
      neighbors: parts[.neighbors] ?? 0, learningRate: rate)
  }

  /// Computes the content loss of a grey picture, compared with the first photos.
  func contentOfGrey() throws -> Double {
    let side: Int = settings.pictureSide
    let photos: [Float] = try (0..<Self.comparedPhotos).flatMap {
      try contents.sample($0, side: side, seed: settings.seed).planes
    }
    return try weights.contentOfGrey(
      for: FloatTensor([Self.comparedPhotos, 3, side, side], photos), network: features,
      options: options)
  }

  /// The style of each picture of the next step.
  private var styles: [Int] {
    guard styleCount > 0 else { return [] }
    return (0..<settings.batchSize).map { position in
      let index: Int = iteration * settings.batchSize + position
      return EpochOrder(count: styleCount, round: index / styleCount, seed: settings.seed)
        .position(of: index % styleCount)
    }
  }

  /// The network with the current parameters.
  public var network: StyleNetwork {
    guard settings.trained != .all else { return start.with(trainer.state.parameters) }
    var trained = trainer.state.parameters.makeIterator()
    return start.with(
      zip(start.parameters, start.values).map { $0.isOfNorm ? trained.next() ?? $1 : $1 })
  }

  /// The state on which later steps depend, in addition to the settings and pictures.
  var state: TrainerState { trainer.state }

  /// Restores the state of another trainer with the same settings and pictures.
  func restore(_ state: TrainerState, iteration: Int) {
    trainer.state = state
    self.iteration = iteration
  }

  /// Makes the inputs of the next step: photos and, for the stability loss, the same photos shifted by a pixel and with
  /// noise.
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
      var generator = SplitMix64(counting: UInt64(index), seed: settings.seed ^ 0x4E_4F49_5345)
      moved += try larger.cropped(x: 1, y: 1, width: side, height: side).planes.map {
        $0 + Float(generator.uniform(-Self.noise...Self.noise))
      }
    }
    return isMoved ? [photos, moved] : [photos]
  }
}
