import Combine
import CreateML
import Files
import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// Runs the trainings of styles. Each training has a folder with its pictures and Create ML's session. So the studio
/// can resume the training after a restart.
final class TrainingService: Sendable {
  /// The state of a training.
  enum State: String, Codable, Sendable {
    case preparing, training, paused, finished, failed
  }

  /// The settings of a training, stored in its folder.
  struct Record: Codable, Sendable {
    let id: String
    var name: String
    let created: Date
    let algorithm: String
    let strength: Int
    let density: Int
    var iterations: Int
    let photos: Int
    let hasValidation: Bool
  }

  /// The losses of a training step.
  struct Losses: Codable, Sendable {
    let iteration: Int
    let total: Double
    let style: Double
    let content: Double
  }

  /// A training as clients see it.
  struct Report: Codable, Sendable {
    let record: Record
    var state: State
    var iteration: Int
    var error: String?
    /// The remaining time in seconds, estimated from the average time of the steps since the training was last resumed.
    var secondsLeft: Double?
    /// The steps after which the training painted the validation photo.
    var snapshots: [Int] = []
    var losses: [Losses]?
    /// Whether the training has a model that can paint.
    var isStyle = false
  }

  private struct Running {
    let job: MLJob<MLStyleTransfer>
    var listeners: [AnyCancellable] = []
    let begun: Date
    let first: Int
  }

  private struct Held {
    var record: Record
    var state: State
    var iteration = 0
    var error: String?
    var running: Running?
    var fresh: [Losses] = []
  }

  private struct Registry {
    var held: [Held] = []
    /// Trainings that were removed while they ran. They stay here until their last step has ended.
    var leaving: [Held] = []
    /// The running training, from before its first step until after its last step has ended. Only one training runs at
    /// a time.
    var runner: (id: String, name: String)?
  }

  private let home: URL
  private let models: ModelStore
  private let events: EventHub
  private let registry = Locked(Registry())
  private static let mostTrainings = 60

  /// Creates a service that has not loaded its trainings yet.
  init(_ data: URL, models: ModelStore, events: EventHub) {
    home = data.appendingPathComponent("trainings", isDirectory: true)
    self.models = models
    self.events = events
  }

  // MARK: Folders

  private func folder(_ id: String) -> URL { home.appendingPathComponent(id, isDirectory: true) }
  private func session(_ id: String) -> URL { folder(id).appendingPathComponent("session") }
  private func model(_ id: String) -> URL { folder(id).appendingPathComponent("model.mlmodel") }
  private func painting(_ id: String) -> URL { folder(id).appendingPathComponent("painting.jpg") }

  /// Loads the stored trainings, and offers the trained styles.
  func load() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: home.path))?.sorted() ?? [] {
      let file = folder(name).appendingPathComponent("training.json")
      if name.hasPrefix("t-"), !manager.fileExists(atPath: file.path),
        registry.withLock({ $0.runner?.id != name })
      {
        // An earlier run of the studio ended while it was making or removing this folder.
        try? manager.removeItem(at: folder(name))
        continue
      }
      guard let data = try? Data(contentsOf: file),
        let record = try? JSONDecoder().decode(Record.self, from: data), record.id == name,
        !registry.withLock({ $0.held.contains { $0.record.id == name } })
      else { continue }
      let step = (try? StyleTraining.checkpoint(in: StyleTrainingFolder(session(name))))??.iteration
      var one = Held(record: record, state: .paused, iteration: step ?? 0)
      if manager.fileExists(atPath: model(name).path), one.iteration >= record.iterations {
        one.state = .finished
      }
      registry.withLock { $0.held.append(one) }
      if manager.fileExists(atPath: model(name).path) { offer(record) }
    }
  }

  /// Makes a folder for a new training and starts the training.
  func begin(_ record: Record, painting: Data, photos: [Data], validation: Data?) throws -> Report {
    try claim(record.id, record.name, isNew: true)
    do {
      try make(record, painting, photos, validation)
      registry.withLock { $0.held.append(Held(record: record, state: .preparing)) }
      try run(record.id)
    } catch {
      release(record.id)
      throw error
    }
    return try report(record.id)
  }

  /// Writes the pictures and settings of a training into its folder.
  private func make(
    _ record: Record, _ painting: Data, _ photos: [Data], _ validation: Data?
  ) throws {
    let manager = FileManager.default
    let folder = folder(record.id)
    let contents = folder.appendingPathComponent("photos", isDirectory: true)
    try manager.createDirectory(
      at: contents, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      // The studio encodes the uploads again. So the files in the folder are certainly pictures.
      try decoded(painting, "the painting", side: 2048).write(toFile: self.painting(record.id).path)
      for (index, photo) in photos.enumerated() {
        let name = String(format: "%04d.jpg", index + 1)
        try decoded(photo, "photo \(index + 1)", side: 1024)
          .write(toFile: contents.appendingPathComponent(name).path)
      }
      if let validation {
        try decoded(validation, "the validation photo", side: 1024)
          .write(toFile: folder.appendingPathComponent("validation.jpg").path)
      }
      try write(record)
    } catch {
      try? manager.removeItem(at: folder)
      throw error
    }
  }

  private func decoded(_ data: Data, _ name: String, side: Int) throws -> Picture {
    let picture = try Picture(data: data, name: name, pixelLimit: 64_000_000).withoutAlpha
    return try picture.scaled(
      to: picture.size.scaled(toLongerSide: min(side, picture.size.longerSide)))
  }

  private func write(_ record: Record) throws {
    try WholeFile.write(
      try JSONEncoder().encode(record),
      to: folder(record.id).appendingPathComponent("training.json").path)
  }

  // MARK: Running

  /// Makes a training the running one. Throws if another training runs, or if the training is new and too many
  /// trainings are stored. Returns false if this training is already the running one.
  @discardableResult
  func claim(_ id: String, _ name: String, isNew: Bool = false) throws -> Bool {
    try registry.withLock { registry in
      if let runner = registry.runner {
        if runner.id == id { return false }
        throw HTTPError(
          409, "training_runs",
          registry.leaving.contains { $0.record.id == runner.id }
            ? "'\(runner.name)' was removed, but its last step has not ended yet. Try again in a"
              + " moment."
            : "'\(runner.name)' is being trained. Pause it first, because two trainings at once"
              + " would take longer than one after the other.")
      }
      guard !isNew || registry.held.count < Self.mostTrainings else {
        throw HTTPError(
          409, "too_many_trainings",
          "\(Self.mostTrainings) trainings are stored, which is the limit. Remove one first.")
      }
      registry.runner = (id, name)
      return true
    }
  }

  /// Releases what ``claim(_:_:isNew:)`` has claimed, so that another training may run.
  func release(_ id: String) {
    registry.withLock { registry in
      if registry.runner?.id == id { registry.runner = nil }
    }
  }

  /// Resumes a training from its last checkpoint.
  func resume(_ id: String) throws {
    guard try claim(id, one(id).record.name) else { return }
    do {
      try run(id)
    } catch {
      release(id)
      throw error
    }
  }

  /// Increases the number of steps of a training, and resumes it.
  func extend(_ id: String, to iterations: Int) throws {
    var one = try one(id)
    guard iterations > one.record.iterations else {
      throw HTTPError(
        400, "bad_field",
        "The training has \(one.record.iterations) steps already; choose a larger number.")
    }
    guard try claim(id, one.record.name) else {
      throw HTTPError(409, "training_runs", "Pause the training first.")
    }
    do {
      try MLStyleTransfer.extendTrainingSession(in: session(id), toIterations: iterations)
      one.record.iterations = iterations
      try write(one.record)
      change(id) { $0.record.iterations = iterations }
      try run(id)
    } catch {
      release(id)
      throw error
    }
  }

  private func run(_ id: String) throws {
    let record = try one(id).record
    let folder = folder(id)
    let interval = max(1, min(25, record.iterations / 12))
    let validation = folder.appendingPathComponent("validation.jpg")
    let session = try MLStyleTransfer.makeTrainingSession(
      trainingData: .images(
        styleImage: painting(id), contentDirectory: folder.appendingPathComponent("photos")),
      parameters: MLStyleTransfer.ModelParameters(
        algorithm: record.algorithm == "cnnLite" ? .cnnLite : .cnn,
        validation: record.hasValidation ? .content(validation) : .none,
        maxIterations: record.iterations, textelDensity: record.density,
        styleStrength: record.strength),
      sessionParameters: MLTrainingSessionParameters(
        sessionDirectory: session(id), reportInterval: 1, checkpointInterval: interval,
        iterations: record.iterations))
    let job = try MLStyleTransfer.resume(session)
    // The job is registered before its listeners are registered, because a job may end immediately.
    let running = Running(job: job, begun: Date(), first: session.iteration)
    let isHeld: Bool = registry.withLock { registry in
      guard let position = registry.held.firstIndex(where: { $0.record.id == id }) else {
        // The training was removed while its job was prepared.
        registry.leaving.append(Held(record: record, state: .preparing, running: running))
        return false
      }
      registry.held[position].state = .preparing
      registry.held[position].error = nil
      registry.held[position].iteration = session.iteration
      registry.held[position].fresh = []
      registry.held[position].running = running
      return true
    }
    let results = job.result.sink(
      receiveCompletion: { [weak self] end in
        if case .failure(let error) = end { self?.failed(id, error) }
      },
      receiveValue: { [weak self] model in self?.finished(id, model) })
    let points = job.checkpoints.sink { [weak self] _ in self?.tell(id, losses: true) }
    registry.withLock { registry in
      if let position = registry.held.firstIndex(where: { $0.running?.job === job }) {
        registry.held[position].running?.listeners = [results, points]
      }
      if let position = registry.leaving.firstIndex(where: { $0.running?.job === job }) {
        registry.leaving[position].running?.listeners = [results, points]
      }
    }
    guard isHeld else { return job.cancel() }
    tell(id, losses: false)
    let watch = Thread { [weak self] in
      while let self, self.look(id, job) { usleep(250_000) }
    }
    watch.start()
  }

  /// Reads the progress of a job. Returns false if the training no longer runs this job.
  private func look(_ id: String, _ job: MLJob<MLStyleTransfer>) -> Bool {
    guard registry.withLock({ $0.held.contains { $0.running?.job === job } }) else { return false }
    guard let progress = MLProgress(progress: job.progress), progress.itemCount > 0 else {
      return true
    }
    let metric = { (name: MLProgress.Metric) in progress.metrics[name] as? Double ?? 0 }
    let row = Losses(
      iteration: progress.itemCount, total: metric(.loss), style: metric(.styleLoss),
      content: metric(.contentLoss))
    var isNew = false
    change(id, tells: false) { one in
      guard one.running != nil, row.iteration > one.iteration || one.state == .preparing else {
        return
      }
      isNew = true
      one.state = .training
      one.iteration = row.iteration
      one.fresh.append(row)
    }
    if isNew { tell(id, losses: false) }
    return true
  }

  private func finished(_ id: String, _ model: MLStyleTransfer) {
    do {
      let record = try one(id).record
      try model.write(
        to: self.model(id),
        metadata: MLModelMetadata(
          author: "Atelier studio", shortDescription: "Paints in the style of \(record.name)."))
      change(id) { one in
        one.state = .finished
        one.iteration = record.iterations
        one.running = nil
      }
      release(id)
      offer(record)
      tell(id, losses: true)
    } catch {
      failed(id, error)
    }
  }

  private func failed(_ id: String, _ error: any Error) {
    guard registry.withLock({ $0.held.contains { $0.record.id == id } }) else { return left(id) }
    let isPause = if case MLCreateError.cancelled = error { true } else { false }
    change(id) { one in
      one.state = isPause ? .paused : .failed
      one.error = isPause ? nil : httpError(of: error).message
      one.running = nil
      let folder = StyleTrainingFolder(self.session(id))
      if let step = (try? StyleTraining.checkpoint(in: folder))??.iteration { one.iteration = step }
    }
    if isPause { try? makeModel(id) }
    release(id)
  }

  /// Removes the folder of a removed training. The service calls this method when the training's last step has ended.
  private func left(_ id: String) {
    // `Held` owns the job's listeners, so it must not be released before this point.
    let gone: [Held] = registry.withLock { registry in
      defer { registry.leaving.removeAll { $0.record.id == id } }
      return registry.leaving.filter { $0.record.id == id }
    }
    guard !gone.isEmpty else { return }
    try? FileManager.default.removeItem(at: folder(id))
    release(id)
  }

  /// Copies the model of the last snapshot to the training's model file, so that a user can try the style of a paused
  /// training.
  private func makeModel(_ id: String) throws {
    let rows = snapshotSteps(id, "mlmodel")
    guard let last = rows.last else { return }
    let bytes = try Data(contentsOf: StyleTrainingFolder(session(id)).snapshotModel(last))
    try WholeFile.write(bytes, to: model(id).path)
    offer(try one(id).record)
  }

  /// Stops a training after the current step. The training then writes a checkpoint.
  func pause(_ id: String) throws { try one(id).running?.job.cancel() }

  /// Stops all trainings and waits until their checkpoints are written, for at most 60 s.
  func pauseAll() {
    for one in registry.withLock({ $0.held }) { one.running?.job.cancel() }
    for _ in 0..<1200 where registry.withLock({ $0.runner != nil }) { usleep(50_000) }
  }

  /// Removes a training with its files. If the training runs, its folder is removed after the current step.
  func remove(_ id: String) throws {
    let one: Held = try registry.withLock { registry in
      guard let position = registry.held.firstIndex(where: { $0.record.id == id }) else {
        throw HTTPError.missing("training of that name")
      }
      let one = registry.held.remove(at: position)
      if one.running != nil { registry.leaving.append(one) }
      return one
    }
    models.withdraw(id)
    let folder = folder(id)
    // Without `training.json`, the next run of the studio removes the folder, even if this run ends before it has
    // removed the folder.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent("training.json"))
    if let running = one.running {
      running.job.cancel()
    } else {
      DispatchQueue.global().async { try? FileManager.default.removeItem(at: folder) }
    }
    events.send("trainingRemoved", id)
  }

  // MARK: Reports

  /// All trainings. The newest training is first.
  var reports: [Report] {
    registry.withLock { $0.held.map(\.record) }.sorted { $0.created > $1.created }
      .compactMap { try? report($0.id) }
  }

  /// Returns a training as clients see it. The report has the losses only if `losses` is true.
  func report(_ id: String, losses: Bool = false) throws -> Report {
    let one = try one(id)
    var report = Report(
      record: one.record, state: one.state, iteration: one.iteration, error: one.error)
    if let running = one.running, one.iteration > running.first {
      let pace = Date().timeIntervalSince(running.begun) / Double(one.iteration - running.first)
      report.secondsLeft = pace * Double(one.record.iterations - one.iteration)
    }
    report.snapshots = one.record.hasValidation ? snapshotSteps(id, "png") : []
    report.isStyle = FileManager.default.fileExists(atPath: model(id).path)
    if losses {
      let rows = StyleTrainingFolder(session(id)).readLosses().map {
        Losses(iteration: $0.iteration, total: $0.total, style: $0.style, content: $0.content)
      }
      let last = rows.last?.iteration ?? 0
      let all = rows + one.fresh.filter { $0.iteration > last }
      // The page's curve does not need more than a few hundred points.
      let step = max(1, all.count / 400)
      report.losses = all.enumerated().filter {
        $0.offset % step == 0 || $0.offset == all.count - 1
      }
      .map(\.element)
    }
    return report
  }

  /// Returns the file of the validation photo, painted by the network of a step.
  func snapshot(_ id: String, _ step: Int) throws -> Data {
    _ = try one(id)
    guard snapshotSteps(id, "png").contains(step) else {
      throw HTTPError.missing("snapshot of that step")
    }
    return try Data(contentsOf: StyleTrainingFolder(session(id)).snapshotPicture(step))
  }

  /// Returns the file of a picture of the training: the painting, or the validation photo.
  func picture(_ id: String, _ name: String) throws -> Data {
    _ = try one(id)
    let file =
      name == "validation" ? folder(id).appendingPathComponent("validation.jpg") : painting(id)
    guard let data = try? Data(contentsOf: file) else { throw HTTPError.missing("picture") }
    return data
  }

  /// Opens the trained model's file.
  func modelFile(_ id: String) throws -> OpenFile {
    _ = try one(id)
    guard let file = try? OpenFile(model(id)) else {
      throw HTTPError(
        409, "not_done",
        "There is no model yet. Pause the training, or wait until it ends.")
    }
    return file
  }

  private func snapshotSteps(_ id: String, _ ending: String) -> [Int] {
    let folder = StyleTrainingFolder(session(id))
    let steps = registry.withLock { $0.held.first { $0.record.id == id }?.iteration } ?? 0
    return (0...max(0, steps)).filter { step in
      let file = ending == "png" ? folder.snapshotPicture(step) : folder.snapshotModel(step)
      return access(file.path, R_OK) == 0
    }
  }

  private func one(_ id: String) throws -> Held {
    guard let one = registry.withLock({ $0.held.first { $0.record.id == id } }) else {
      throw HTTPError.missing("training of that name")
    }
    return one
  }

  private func change(_ id: String, tells: Bool = true, _ body: (inout Held) -> Void) {
    let isThere = registry.withLock { registry in
      guard let position = registry.held.firstIndex(where: { $0.record.id == id }) else {
        return false
      }
      body(&registry.held[position])
      return true
    }
    if isThere, tells { tell(id, losses: false) }
  }

  private func tell(_ id: String, losses: Bool) {
    if let report = try? report(id, losses: losses) { events.send("training", report) }
  }

  /// Adds the trained style to the model store.
  private func offer(_ record: Record) {
    models.add(
      ModelStore.Entry(
        id: record.id, title: record.name, origin: .trained, kind: .style, file: model(record.id),
        small: record.algorithm == "cnnLite" ? model(record.id) : nil,
        painting: painting(record.id)))
  }
}
