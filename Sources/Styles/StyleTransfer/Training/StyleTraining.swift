import Encryption
import Engine
import Files
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// Trains a style network on a painting and a folder of photos, and writes checkpoints, snapshots and losses.
///
/// The process may be stopped or killed at any time. A checkpoint file is complete or absent, and a training that
/// resumes from it gets the same weights as an uninterrupted one.
public final class StyleTraining {
  /// The settings, pictures and files of a training.
  public struct Task {
    /// The settings of the training.
    public var settings: StyleTrainingSettings
    /// The files of the paintings. Several paintings train one network of several styles, which also learns to reproduce
    /// photos as its last style.
    public var paintings: [URL]
    /// The folder with the photos.
    public var contents: URL
    /// How photos are fitted to squares before they are cropped. Nil keeps their aspect ratios.
    public var fitting: CropAndScale?
    /// The folder for checkpoints, losses and snapshots. Nil to write none.
    public var folder: StyleTrainingFolder?
    /// The network whose weights the training starts from. Nil for random weights.
    public var initial: StyleNetwork?
    /// The name of the network ``initial`` in the stored settings. Nil for random weights.
    public var initialName: String?
    /// A photo to paint at every snapshot. Nil for none.
    public var validation: URL?
    /// The number of steps between checkpoints.
    public var checkpointInterval: Int = 20
    /// The number of steps between snapshots. Nil to make none.
    public var snapshotInterval: Int?

    /// Creates a task.
    public init(settings: StyleTrainingSettings, paintings: [URL], contents: URL) {
      self.settings = settings
      self.paintings = paintings
      self.contents = contents
    }

    /// Creates a task with one painting.
    public init(settings: StyleTrainingSettings, painting: URL, contents: URL) {
      self.init(settings: settings, paintings: [painting], contents: contents)
    }

    /// The number of styles of the network: 0 for one painting.
    public var styleCount: Int { paintings.count > 1 ? paintings.count + 1 : 0 }

    /// The names of the network's styles: the names of the paintings, then ``MultiStyleNetwork/photoName``. Empty for one
    /// painting.
    public var styleNames: [String] {
      paintings.count > 1 ? paintingNames + [MultiStyleNetwork.photoName] : []
    }

    /// The names of the paintings: those of their files without extensions. A painting whose file is named like that of
    /// another one, such as `scream/painting.jpg`, has the name of its folder.
    var paintingNames: [String] {
      let names: [String] = paintings.map { $0.deletingPathExtension().lastPathComponent }
      return zip(paintings, names).map { painting, name in
        names.count { $0 == name } > 1
          ? painting.standardizedFileURL.deletingLastPathComponent().lastPathComponent : name
      }
    }

    /// The title of the plot of losses: the name of the painting, or the number of paintings.
    public var title: String {
      paintings.count == 1
        ? paintings[0].deletingPathExtension().lastPathComponent : "\(paintings.count) paintings"
    }

    /// Starts from a model. If it has several styles, those of the paintings are taken
    /// (``MultiStyleNetwork/initial(for:)``).
    public mutating func start(from model: Spec.Model, name: String) throws {
      if MultiStyleNetwork.isMultiStyle(model) {
        let network = try MultiStyleNetwork(reading: model, name: name)
        guard network.network.algorithm == settings.algorithm else {
          throw StyleTransferError(
            .input,
            "The initial model '\(name)' is a \(network.network.algorithm.rawValue) network, expected"
              + " \(settings.algorithm.rawValue). Use another model or algorithm.")
        }
        initial = try network.initial(for: styleCount > 0 ? styleNames : paintingNames)
      } else {
        initial = try StyleNetwork(
          settings.algorithm, reading: model, name: name, architecture: settings.architecture)
      }
      initialName = name
    }

    /// Starts from the gallery's first style if its network is installed and has the architecture of the settings.
    public mutating func startFromGallery() throws {
      let first: StyleNetwork? = try StyleGallery.startingNetwork(settings.algorithm)
      initial = first?.architecture == settings.architecture ? first : nil
      initialName = initial == nil ? nil : StyleGallery.firstStyle
    }
  }

  /// What happens to a training that is already in the folder.
  public enum Beginning: Sendable {
    /// An existing training is an error, so nothing is overwritten.
    case new
    /// The training resumes from its checkpoint, if there is one.
    case resumed
    /// The existing training is removed.
    case over
  }

  /// The progress after a step.
  public struct Progress: Sendable {
    /// The losses of the step.
    public var losses: StyleLosses
    /// The total number of steps of the training.
    public var iterations: Int
    /// The remaining time in seconds, from the average time per step in this run.
    public var timeLeft: Double
    /// Whether a checkpoint was written after the step.
    public var hasCheckpoint: Bool
    /// The file of the validation photo, painted after the step. Nil if the step made no snapshot.
    public var snapshot: URL?
  }

  /// The settings, pictures and files of the training.
  public let task: Task
  /// Advice about the pictures and settings, for the user.
  public let advice: [String]
  /// The losses of all steps so far, including the steps of earlier runs.
  public private(set) var losses: [StyleLosses] = []
  private let trainer: StyleTrainer
  private let paintingDigest: String
  private let contentsDigest: String
  private let validation: SnapshotPainter?
  /// The exclusive lock on the folder. It is held until the run ends.
  private var lock: FolderLock?

  /// The longest time between checkpoints, even if steps are slow. It limits how much work a crash may lose.
  private static let longestWithoutCheckpoint: Duration = .seconds(60)
  /// The longer side of the painted validation pictures, in pixels.
  private static let validationSide: Int = 768

  /// Prepares a training: locks the folder, reads the pictures, and restores the checkpoint if there is one.
  ///
  /// - Parameters:
  ///   - features: The network that computes features for the losses, usually VGG-16.
  ///   - beginning: What happens to a training that is already in the folder.
  public init(
    _ task: Task, features: FeatureNetwork, beginning: Beginning = .new,
    weights: PerceptualLoss? = nil, architecture: StyleArchitecture? = nil,
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    self.task = task
    try task.settings.check()
    let paintings: [Picture] = try task.paintings.map { try Picture(contentsOf: $0) }
    guard let smallest = paintings.min(by: { min($0.width, $0.height) < min($1.width, $1.height) })
    else {
      throw StyleTransferError(.input, "There is no painting to train, expected at least one.")
    }
    let contents = try ContentPictures(
      folder: task.contents, selection: task.settings.recipe.photos, fitting: task.fitting)
    let digests: [String] = try task.paintings.map {
      try SHA256.hexDigest(of: Data(contentsOf: $0))
    }
    paintingDigest =
      digests.count == 1
      ? digests[0] : try SHA256.hexDigest(of: Data(digests.joined(separator: "\n").utf8))
    contentsDigest = try SHA256.hexDigest(of: Data(contents.summary.joined(separator: "\n").utf8))
    let validation: Picture? = try task.validation.map { try Picture(contentsOf: $0) }
    advice = StyleAdvice.before(
      paintingWidth: smallest.width, paintingHeight: smallest.height,
      contents: contents.files.count, settings: task.settings)
    var start: StyleNetwork =
      task.initial
      ?? StyleNetwork(
        task.settings.algorithm, seed: task.settings.seed,
        architecture: architecture ?? task.settings.architecture)
    if task.styleCount > 0, start.architecture.styleCount == 0 {
      start = start.withStyles(task.styleCount)
    }
    guard start.architecture.styleCount == task.styleCount else {
      throw StyleTransferError(
        .input,
        "The initial network has \(start.architecture.styleCount) styles, expected one style or"
          + " \(task.styleCount).")
    }
    if architecture == nil, start.architecture.shortcuts != task.settings.architecture.shortcuts {
      throw StyleTransferError(
        .input,
        "The initial network has the shortcuts '\(start.architecture.shortcuts.rawValue)', but the"
          + " recipe \(task.settings.recipe) has '\(task.settings.architecture.shortcuts.rawValue)'."
          + " Use another recipe, another initial network, or random weights.")
    }
    lock = try task.folder.map { try $0.lock() }
    if beginning == .new, let folder = task.folder, folder.holdsTraining {
      throw StyleTransferError(
        .file,
        "Folder '\(folder.url.path)' contains a training already. Resume it, or allow that it is"
          + " overwritten.")
    }
    self.validation = try validation.map {
      try SnapshotPainter(
        of: $0, by: start.withOneStyle(0), longestSide: Self.validationSide, options: options)
    }
    trainer = try StyleTrainer(
      settings: task.settings, paintings: paintings, contents: contents, features: features,
      network: start, weights: weights, options: options)
    if beginning == .over { try task.folder?.clear() }
    if beginning == .resumed, let folder = task.folder,
      let checkpoint = try StyleCheckpoint(contentsOf: folder.checkpoint)
    {
      try check(checkpoint.header)
      let sizes: [Int] = trainer.state.parameters.map(\.count)
      guard checkpoint.state.parameters.map(\.count) == sizes else {
        throw StyleTransferError(
          .input,
          "The checkpoint in '\(folder.url.lastPathComponent)' is of a network with"
            + " \(checkpoint.state.parameters.count) parameters, expected \(sizes.count): another"
            + " version of Atelier wrote it. Start a new training; --initial can use its last"
            + " snapshot."
        )
      }
      trainer.restore(checkpoint.state, iteration: checkpoint.header.iteration)
      losses = folder.readLosses(upTo: checkpoint.header.iteration)
    }
  }

  /// Reads the settings and the number of steps from the checkpoint in a folder. Returns nil if there is no checkpoint.
  public static func checkpoint(in folder: StyleTrainingFolder) throws -> (
    settings: StyleTrainingSettings, iteration: Int
  )? {
    try StyleCheckpoint(contentsOf: folder.checkpoint).map {
      ($0.header.settings, $0.header.iteration)
    }
  }

  /// The number of steps taken.
  public var iteration: Int { trainer.iteration }
  /// The network with the current parameters.
  public var network: StyleNetwork { trainer.network }
  /// Whether all steps were taken.
  public var isFinished: Bool { trainer.iteration >= task.settings.iterations }

  /// Takes the remaining steps, then releases the lock on the folder.
  ///
  /// - Parameters:
  ///   - shouldStop: Called after each step. If it returns true, the training writes a checkpoint and the run ends.
  ///   - report: Called after each step.
  /// - Returns: Whether all steps were taken.
  @discardableResult
  public func run(
    shouldStop: () -> Bool = { false }, report: (Progress) throws -> Void = { _ in }
  ) throws -> Bool {
    if lock == nil { lock = try task.folder.map { try $0.lock() } }
    defer { lock = nil }
    let clock = ContinuousClock()
    let start = clock.now
    var lastCheckpoint = start
    let first: Int = trainer.iteration
    var isStopped: Bool = shouldStop()
    while !isFinished, !isStopped {
      let row: StyleLosses = try trainer.step()
      losses.append(row)
      isStopped = shouldStop()
      let isLast: Bool = isFinished || isStopped
      let isDue: Bool =
        isLast || iteration.isMultiple(of: max(1, task.checkpointInterval))
        || clock.now - lastCheckpoint > Self.longestWithoutCheckpoint
      if isDue {
        try writeCheckpoint()
        lastCheckpoint = clock.now
      }
      let snapshot: URL? = try snapshotIfDue()
      let seconds: Double = (clock.now - start) / .seconds(1)
      try report(
        Progress(
          losses: row, iterations: task.settings.iterations,
          timeLeft: seconds / Double(iteration - first)
            * Double(task.settings.iterations - iteration),
          hasCheckpoint: isDue && task.folder != nil, snapshot: snapshot))
    }
    return isFinished
  }

  /// Returns advice based on the losses so far.
  public func lossAdvice() throws -> [String] {
    StyleAdvice.after(
      losses, settings: task.settings, contentOfGrey: try trainer.contentOfGrey())
  }

  /// Writes a checkpoint, the table of losses and their plot.
  public func writeCheckpoint() throws {
    guard let folder = task.folder else { return }
    // The losses are written before the checkpoint. If the process ends in between, a resumed training skips the rows
    // after its checkpoint.
    try folder.write(losses, title: task.title)
    try folder.write(task.settings, initialName: task.initialName)
    let header = StyleCheckpoint.Header(
      settings: task.settings, iteration: iteration, painting: paintingDigest,
      contents: contentsDigest, date: Date())
    try StyleCheckpoint(header: header, state: trainer.state).write(to: folder.checkpoint)
  }

  private func snapshotIfDue() throws -> URL? {
    guard let folder = task.folder, let interval = task.snapshotInterval, interval > 0,
      iteration.isMultiple(of: interval)
    else { return nil }
    let network: StyleNetwork = trainer.network
    let names: [String] = task.styleNames
    let model =
      names.isEmpty ? try network.model() : try MultiStyleNetwork(network, names: names).model()
    try model.write(to: folder.snapshotModel(iteration))
    guard let validation else { return nil }
    let file: URL = folder.snapshotPicture(iteration)
    // If there are several styles, the snapshots show one after the other.
    let style: Int = (iteration / interval - 1) % max(1, task.paintings.count)
    try validation.paint(by: network.withOneStyle(style)).write(toFile: file.path)
    return file
  }

  /// Throws if a resumed training has other settings or pictures than the checkpoint. Only the number of iterations may
  /// differ.
  private func check(_ header: StyleCheckpoint.Header) throws {
    func differs(_ what: String, _ before: some Any, _ now: some Any) -> StyleTransferError {
      StyleTransferError(
        .input,
        "The training in the folder has \(what) \(before), but now it is \(now). Resume with the"
          + " same settings, or start a new training.")
    }
    let (before, now) = (header.settings, task.settings)
    if before.algorithm != now.algorithm {
      throw differs("the algorithm", before.algorithm.rawValue, now.algorithm.rawValue)
    }
    if before.strength != now.strength {
      throw differs("the strength", before.strength, now.strength)
    }
    if before.texelDensity != now.texelDensity {
      throw differs("the texel density", before.texelDensity, now.texelDensity)
    }
    if before.seed != now.seed { throw differs("the seed", before.seed, now.seed) }
    if before.trained != now.trained {
      throw differs("the trained parameters", before.trained.rawValue, now.trained.rawValue)
    }
    if before.recipe != now.recipe {
      throw differs("the recipe", before.recipe.description, now.recipe.description)
    }
    var same = now
    same.iterations = before.iterations
    if before != same { throw differs("other settings:", before, now) }
    if header.painting != paintingDigest {
      throw differs("another painting:", header.painting.prefix(12), paintingDigest.prefix(12))
    }
    if header.contents != contentsDigest {
      throw differs(
        "other content pictures:", header.contents.prefix(12), contentsDigest.prefix(12))
    }
  }
}
