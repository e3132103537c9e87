import Engine
import Files
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// A training from a painting and a folder of photos to a model: steps, checkpoints, snapshots, losses.
///
/// It can be stopped at any time, by asking or by force: a checkpoint is a file that is complete or
/// not there, and going on from it gives the weights that an undisturbed training would have.
public final class StyleTraining {
  /// What is trained with what, and where its files go.
  public struct Task {
    /// The settings.
    public var settings: StyleTrainingSettings
    /// The file of the painting.
    public var painting: URL
    /// The folder of photos.
    public var contents: URL
    /// How whole photos become squares before parts are cut out; nil keeps their shapes.
    public var fitting: CropAndScale?
    /// Where checkpoints, losses and snapshots go; nil keeps none.
    public var folder: StyleTrainingFolder?
    /// The network to start with; nil starts from random weights.
    public var initial: StyleNetwork?
    /// What that model is called where settings are kept.
    public var initialName: String?
    /// A photo that snapshots are painted of.
    public var validation: URL?
    /// How many steps lie between checkpoints.
    public var checkpointInterval: Int = 20
    /// How many steps lie between snapshots; nil makes none.
    public var snapshotInterval: Int?

    /// A task.
    public init(settings: StyleTrainingSettings, painting: URL, contents: URL) {
      self.settings = settings
      self.painting = painting
      self.contents = contents
    }

    /// Starts from the gallery's first style, where that is installed.
    public mutating func startFromGallery() throws {
      initial = try StyleGallery.startingNetwork(settings.algorithm)
      initialName = initial == nil ? nil : StyleGallery.firstStyle
    }
  }

  /// What is done about a training that the folder holds.
  public enum Beginning: Sendable {
    /// It is in the way: nothing is written over.
    case new
    /// It is gone on with from its checkpoint, if there is one.
    case resumed
    /// It is removed.
    case over
  }

  /// What is known behind each step.
  public struct Progress: Sendable {
    /// The step's losses.
    public var losses: StyleLosses
    /// All steps.
    public var iterations: Int
    /// The time that is left, in seconds, by the steps of this run.
    public var timeLeft: Double
    /// Whether a checkpoint was written behind the step.
    public var hasCheckpoint: Bool
    /// The validation picture that was painted behind the step.
    public var snapshot: URL?
  }

  /// What is trained.
  public let task: Task
  /// What can be said before the training.
  public let advice: [String]
  /// The losses so far, also those of the runs before.
  public private(set) var losses: [StyleLosses] = []
  private let trainer: StyleTrainer
  private let paintingDigest: String
  private let contentsDigest: String
  private let validation: SnapshotPainter?
  /// The right to work in the folder, from the start to the end of the run.
  private var lock: FolderLock?

  /// What may be lost to a crash where steps are slow.
  private static let longestWithoutCheckpoint: Duration = .seconds(60)
  /// The longer side of painted validation pictures.
  private static let validationSide: Int = 768

  /// A training that is ready to go.
  ///
  /// - Parameters:
  ///   - features: what losses are measured with, VGG-16.
  ///   - beginning: what is done about a training that its folder holds.
  public init(
    _ task: Task, features: FeatureNetwork, beginning: Beginning = .new,
    weights: PerceptualLoss = .forTraining, architecture: StyleArchitecture? = nil,
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    self.task = task
    try task.settings.check()
    let painting = try Picture(contentsOf: task.painting)
    let contents = try ContentPictures(folder: task.contents, fitting: task.fitting)
    paintingDigest = SHA256.hexDigest(of: try Data(contentsOf: task.painting))
    contentsDigest = SHA256.hexDigest(of: contents.summary.joined(separator: "\n").utf8)
    let validation: Picture? = try task.validation.map { try Picture(contentsOf: $0) }
    advice = StyleAdvice.before(
      paintingWidth: painting.width, paintingHeight: painting.height,
      contents: contents.files.count, settings: task.settings)
    let start: StyleNetwork =
      task.initial
      ?? StyleNetwork(
        task.settings.algorithm, seed: task.settings.seed, architecture: architecture)
    lock = try task.folder.map { try $0.lock() }
    if beginning == .new, let folder = task.folder, folder.holdsTraining {
      throw StyleTransferError(
        .file,
        "Folder '\(folder.url.path)' holds a training already. Go on with it, or say that it is to be"
          + " overwritten.")
    }
    self.validation = try validation.map {
      try SnapshotPainter(
        of: $0, by: start, longestSide: Self.validationSide, options: options)
    }
    trainer = try StyleTrainer(
      settings: task.settings, painting: painting, contents: contents, features: features,
      network: start, weights: weights, options: options)
    if beginning == .over { try task.folder?.clear() }
    if beginning == .resumed, let folder = task.folder,
      let checkpoint = try StyleCheckpoint(contentsOf: folder.checkpoint)
    {
      try check(checkpoint.header)
      let sizes: [Int] = trainer.network.parameters.map(\.count)
      guard checkpoint.state.parameters.map(\.count) == sizes else {
        throw StyleTransferError(
          .input,
          "The checkpoint in '\(folder.url.lastPathComponent)' is of a network with"
            + " \(checkpoint.state.parameters.count) parameters, expected \(sizes.count): another version"
            + " of Atelier wrote it. Begin anew without resuming; --initial takes its last snapshot."
        )
      }
      trainer.restore(checkpoint.state, iteration: checkpoint.header.iteration)
      losses = folder.readLosses(upTo: checkpoint.header.iteration)
    }
  }

  /// The settings of the checkpoint in a folder, and its step; nil where there is none.
  public static func checkpoint(in folder: StyleTrainingFolder) throws -> (
    settings: StyleTrainingSettings, iteration: Int
  )? {
    try StyleCheckpoint(contentsOf: folder.checkpoint).map {
      ($0.header.settings, $0.header.iteration)
    }
  }

  /// How many steps were taken.
  public var iteration: Int { trainer.iteration }
  /// The network as it is now.
  public var network: StyleNetwork { trainer.network }
  /// Whether all steps are taken.
  public var isFinished: Bool { trainer.iteration >= task.settings.iterations }

  /// Takes the steps that are left. The folder is then free for another training.
  ///
  /// - Parameters:
  ///   - shouldStop: asked behind each step; a checkpoint is written when it says so.
  ///   - report: called behind each step.
  /// - Returns: whether all steps were taken.
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

  /// What the losses say, in plain words.
  public func lessons() throws -> [String] {
    StyleAdvice.after(
      losses, settings: task.settings, contentOfGrey: try trainer.contentOfGrey())
  }

  /// Writes a checkpoint, the table of losses and its picture.
  public func writeCheckpoint() throws {
    guard let folder = task.folder else { return }
    // The losses go first: rows beyond the checkpoint are left out when they are read.
    try folder.write(losses, title: task.painting.deletingPathExtension().lastPathComponent)
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
    try network.model().write(to: folder.snapshotModel(iteration))
    guard let validation else { return nil }
    let file: URL = folder.snapshotPicture(iteration)
    try validation.paint(by: network).write(toFile: file.path)
    return file
  }

  /// A training goes on only as what it was; more or fewer iterations aside.
  private func check(_ header: StyleCheckpoint.Header) throws {
    func differs(_ what: String, _ before: some Any, _ now: some Any) -> StyleTransferError {
      StyleTransferError(
        .input,
        "The training that was begun has \(what) \(before), but now it is \(now). Go on with the same"
          + " settings, or begin anew without resuming.")
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
