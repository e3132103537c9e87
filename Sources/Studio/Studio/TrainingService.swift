import Combine
import CreateML
import Files
import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// The trainings: each a folder with its pictures and Create ML's session, so that it outlives the program.
final class TrainingRoom: Sendable {
  /// What a training does.
  enum State: String, Codable, Sendable {
    case preparing, training, paused, finished, failed
  }

  /// What a training is made of; written into its folder.
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

  /// A step's losses.
  struct Losses: Codable, Sendable {
    let iteration: Int
    let total: Double
    let style: Double
    let content: Double
  }

  /// What is told of a training.
  struct Report: Codable, Sendable {
    let record: Record
    var state: State
    var iteration: Int
    var error: String?
    /// The seconds that are left, by the pace so far.
    var secondsLeft: Double?
    /// The steps of which there is a painted picture.
    var snapshots: [Int] = []
    var losses: [Losses]?
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

  private struct Room {
    var held: [Held] = []
    /// Trainings that were removed while they ran, until their last step has ended.
    var leaving: [Held] = []
    /// The training that has the machine, from before it begins until after it has ended.
    var runner: (id: String, name: String)?
  }

  private let home: URL
  private let models: ModelShelf
  private let events: EventHub
  private let room = Locked(Room())
  private static let mostTrainings = 60

  /// A room whose trainings are not loaded yet.
  init(_ data: URL, models: ModelShelf, events: EventHub) {
    home = data.appendingPathComponent("trainings", isDirectory: true)
    self.models = models
    self.events = events
  }

  // MARK: Folders

  private func folder(_ id: String) -> URL { home.appendingPathComponent(id, isDirectory: true) }
  private func session(_ id: String) -> URL { folder(id).appendingPathComponent("session") }
  private func model(_ id: String) -> URL { folder(id).appendingPathComponent("model.mlmodel") }
  private func painting(_ id: String) -> URL { folder(id).appendingPathComponent("painting.jpg") }

  /// Finds the trainings of earlier days, and the styles that were kept.
  func load() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: home.path))?.sorted() ?? [] {
      let file = folder(name).appendingPathComponent("training.json")
      if name.hasPrefix("t-"), !manager.fileExists(atPath: file.path),
        room.withLock({ $0.runner?.id != name })
      {
        // Its studio was ended while it was being made, or removed.
        try? manager.removeItem(at: folder(name))
        continue
      }
      guard let data = try? Data(contentsOf: file),
        let record = try? JSONDecoder().decode(Record.self, from: data), record.id == name,
        !room.withLock({ $0.held.contains { $0.record.id == name } })
      else { continue }
      let step = (try? StyleTraining.checkpoint(in: StyleTrainingFolder(session(name))))??.iteration
      var one = Held(record: record, state: .paused, iteration: step ?? 0)
      if manager.fileExists(atPath: model(name).path), one.iteration >= record.iterations {
        one.state = .finished
      }
      room.withLock { $0.held.append(one) }
      if manager.fileExists(atPath: model(name).path) { offer(record) }
    }
  }

  /// Makes a folder for a new training and begins it.
  func begin(_ record: Record, painting: Data, photos: [Data], validation: Data?) throws -> Report {
    try claim(record.id, record.name, isNew: true)
    do {
      try make(record, painting, photos, validation)
      room.withLock { $0.held.append(Held(record: record, state: .preparing)) }
      try run(record.id)
    } catch {
      release(record.id)
      throw error
    }
    return try report(record.id)
  }

  /// Writes the folder of a training.
  private func make(
    _ record: Record, _ painting: Data, _ photos: [Data], _ validation: Data?
  ) throws {
    let manager = FileManager.default
    let folder = folder(record.id)
    let contents = folder.appendingPathComponent("photos", isDirectory: true)
    try manager.createDirectory(
      at: contents, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      // Decoded and written anew: what the folder holds is certainly a picture.
      try decoded(painting, "the painting", side: 2048).write(toFile: self.painting(record.id).path)
      for (index, photo) in photos.enumerated() {
        let name = String(format: "%04d.jpg", index + 1)
        try decoded(photo, "photo \(index + 1)", side: 1024)
          .write(toFile: contents.appendingPathComponent(name).path)
      }
      if let validation {
        try decoded(validation, "the photo to watch", side: 1024)
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

  /// Gives the machine to a training, which has it for itself; false where it has it already.
  @discardableResult
  func claim(_ id: String, _ name: String, isNew: Bool = false) throws -> Bool {
    try room.withLock { room in
      if let runner = room.runner {
        if runner.id == id { return false }
        throw HTTPError(
          409, "training_runs",
          room.leaving.contains { $0.record.id == runner.id }
            ? "'\(runner.name)' was removed, and its last step ends first. Try again in a moment."
            : "'\(runner.name)' is being trained. Pause it first: two at once would take longer than"
              + " one after the other.")
      }
      guard !isNew || room.held.count < Self.mostTrainings else {
        throw HTTPError(
          409, "too_many_trainings",
          "\(Self.mostTrainings) trainings are kept, which is the most. Remove one first.")
      }
      room.runner = (id, name)
      return true
    }
  }

  /// Lets others have the machine.
  func release(_ id: String) {
    room.withLock { room in
      if room.runner?.id == id { room.runner = nil }
    }
  }

  /// Goes on with a training from its last checkpoint.
  func resume(_ id: String) throws {
    guard try claim(id, one(id).record.name) else { return }
    do {
      try run(id)
    } catch {
      release(id)
      throw error
    }
  }

  /// Lets a training take more steps, and goes on.
  func extend(_ id: String, to iterations: Int) throws {
    var one = try one(id)
    guard iterations > one.record.iterations else {
      throw HTTPError(
        400, "bad_field", "The training has \(one.record.iterations) steps already; ask for more.")
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
    // Noted before anybody listens: a job may end at once.
    let running = Running(job: job, begun: Date(), first: session.iteration)
    let isHeld: Bool = room.withLock { room in
      guard let place = room.held.firstIndex(where: { $0.record.id == id }) else {
        // It was removed meanwhile.
        room.leaving.append(Held(record: record, state: .preparing, running: running))
        return false
      }
      room.held[place].state = .preparing
      room.held[place].error = nil
      room.held[place].iteration = session.iteration
      room.held[place].fresh = []
      room.held[place].running = running
      return true
    }
    let results = job.result.sink(
      receiveCompletion: { [weak self] end in
        if case .failure(let error) = end { self?.failed(id, error) }
      },
      receiveValue: { [weak self] model in self?.finished(id, model) })
    let points = job.checkpoints.sink { [weak self] _ in self?.tell(id, losses: true) }
    room.withLock { room in
      if let place = room.held.firstIndex(where: { $0.running?.job === job }) {
        room.held[place].running?.listeners = [results, points]
      }
      if let place = room.leaving.firstIndex(where: { $0.running?.job === job }) {
        room.leaving[place].running?.listeners = [results, points]
      }
    }
    guard isHeld else { return job.cancel() }
    tell(id, losses: false)
    let watch = Thread { [weak self] in
      while let self, self.look(id, job) { usleep(250_000) }
    }
    watch.start()
  }

  /// Reads how far a job is; false when it is not the training's any more.
  private func look(_ id: String, _ job: MLJob<MLStyleTransfer>) -> Bool {
    guard room.withLock({ $0.held.contains { $0.running?.job === job } }) else { return false }
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
    guard room.withLock({ $0.held.contains { $0.record.id == id } }) else { return left(id) }
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

  /// The last step of a training has ended that was removed meanwhile.
  private func left(_ id: String) {
    // Kept until here: the job's listeners are among what it holds.
    let gone: [Held] = room.withLock { room in
      defer { room.leaving.removeAll { $0.record.id == id } }
      return room.leaving.filter { $0.record.id == id }
    }
    guard !gone.isEmpty else { return }
    try? FileManager.default.removeItem(at: folder(id))
    release(id)
  }

  /// The model of the last snapshot, so that a paused training can be tried.
  private func makeModel(_ id: String) throws {
    let rows = snapshotSteps(id, "mlmodel")
    guard let last = rows.last else { return }
    let bytes = try Data(contentsOf: StyleTrainingFolder(session(id)).snapshotModel(last))
    try WholeFile.write(bytes, to: model(id).path)
    offer(try one(id).record)
  }

  /// Writes a checkpoint and stops, after the step that it is in.
  func pause(_ id: String) throws { try one(id).running?.job.cancel() }

  /// Stops all and waits until their checkpoints are written.
  func pauseAll() {
    for one in room.withLock({ $0.held }) { one.running?.job.cancel() }
    for _ in 0..<1200 where room.withLock({ $0.runner != nil }) { usleep(50_000) }
  }

  /// Removes a training with all that it made; its folder goes when the step has ended that it is in.
  func remove(_ id: String) throws {
    let one: Held = try room.withLock { room in
      guard let place = room.held.firstIndex(where: { $0.record.id == id }) else {
        throw HTTPError.missing("training of that name")
      }
      let one = room.held.remove(at: place)
      if one.running != nil { room.leaving.append(one) }
      return one
    }
    models.withdraw(id)
    let folder = folder(id)
    // Without it the next studio does not know the training, whatever becomes of this one.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent("training.json"))
    if let running = one.running {
      running.job.cancel()
    } else {
      DispatchQueue.global().async { try? FileManager.default.removeItem(at: folder) }
    }
    events.send("trainingRemoved", id)
  }

  // MARK: What is told

  /// All trainings, newest first.
  var reports: [Report] {
    room.withLock { $0.held.map(\.record) }.sorted { $0.created > $1.created }
      .compactMap { try? report($0.id) }
  }

  /// A training, with its losses.
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
      // A curve of a few hundred points shows all that can be seen.
      let step = max(1, all.count / 400)
      report.losses = all.enumerated().filter {
        $0.offset % step == 0 || $0.offset == all.count - 1
      }
      .map(\.element)
    }
    return report
  }

  /// The picture that a step painted of the validation photo.
  func snapshot(_ id: String, _ step: Int) throws -> Data {
    _ = try one(id)
    guard snapshotSteps(id, "png").contains(step) else {
      throw HTTPError.missing("snapshot of that step")
    }
    return try Data(contentsOf: StyleTrainingFolder(session(id)).snapshotPicture(step))
  }

  /// The painting, or the photo to watch.
  func picture(_ id: String, _ name: String) throws -> Data {
    _ = try one(id)
    let file =
      name == "validation" ? folder(id).appendingPathComponent("validation.jpg") : painting(id)
    guard let data = try? Data(contentsOf: file) else { throw HTTPError.missing("picture") }
    return data
  }

  /// The trained model's file.
  func modelFile(_ id: String) throws -> OpenFile {
    _ = try one(id)
    guard let file = try? OpenFile(model(id)) else {
      throw HTTPError(409, "not_done", "There is no model yet: pause the training, or let it end.")
    }
    return file
  }

  private func snapshotSteps(_ id: String, _ ending: String) -> [Int] {
    let folder = StyleTrainingFolder(session(id))
    let steps = room.withLock { $0.held.first { $0.record.id == id }?.iteration } ?? 0
    return (0...max(0, steps)).filter { step in
      let file = ending == "png" ? folder.snapshotPicture(step) : folder.snapshotModel(step)
      return access(file.path, R_OK) == 0
    }
  }

  private func one(_ id: String) throws -> Held {
    guard let one = room.withLock({ $0.held.first { $0.record.id == id } }) else {
      throw HTTPError.missing("training of that name")
    }
    return one
  }

  private func change(_ id: String, tells: Bool = true, _ body: (inout Held) -> Void) {
    let isThere = room.withLock { room in
      guard let place = room.held.firstIndex(where: { $0.record.id == id }) else { return false }
      body(&room.held[place])
      return true
    }
    if isThere, tells { tell(id, losses: false) }
  }

  private func tell(_ id: String, losses: Bool) {
    if let report = try? report(id, losses: losses) { events.send("training", report) }
  }

  /// Shows the trained style among the others.
  private func offer(_ record: Record) {
    models.add(
      ModelShelf.Entry(
        id: record.id, title: record.name, origin: .trained, kind: .style, file: model(record.id),
        small: record.algorithm == "cnnLite" ? model(record.id) : nil,
        painting: painting(record.id)))
  }
}
