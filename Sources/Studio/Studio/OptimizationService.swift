import Engine
import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// Paints photos by optimisation, one at a time. Stores the picture so far, so that a page can show the progress.
final class OptimizationService: Sendable {
  /// The state of a painting.
  enum State: String, Codable, Sendable {
    case waiting, painting, done, stopped, failed

    /// Whether a painting in this state never changes its state again.
    var isFinal: Bool { self == .done || self == .stopped || self == .failed }
  }

  /// The settings with which a client orders a painting.
  struct Order: Codable, Sendable {
    /// The name of the painting that gives the style.
    var title: String
    var method: String
    var preset: String
    /// The longer side in pixels.
    var size: Int
    var strength: Double

    /// The settings for the painter.
    var settings: PaintingSettings {
      var settings = PaintingSettings()
      settings.method = PaintingMethod(rawValue: method) ?? settings.method
      settings.preset = PaintingPreset(rawValue: preset) ?? settings.preset
      (settings.size, settings.strength) = (size, strength)
      return settings
    }
  }

  /// A painting as clients see it.
  struct Report: Codable, Sendable, Identifiable {
    let id: String
    let order: Order
    var state: State = .waiting
    /// The number of steps taken. Like the total number `iterations`, it is 0 before the first step.
    var iteration = 0
    var iterations = 0
    /// The share of the work that is done, 0 to 1.
    var share: Double = 0
    /// The version of the picture so far. It increases with each new picture. 0 before the first one.
    var version = 0
    /// How long painting took so far, in seconds, without the time in the queue.
    var seconds: Double = 0
    var width: Int?
    var height: Int?
    var created = Date()
    var error: String?
  }

  private struct Held: ClientWork {
    var report: Report
    let client: String
    var picture: Picture?
    var isStopping = false
    var task: Task<Void, Never>?

    /// Stores a new picture.
    mutating func show(_ picture: Picture) {
      self.picture = picture
      report.version += 1
      (report.width, report.height) = (picture.width, picture.height)
    }
  }

  private let board: WorkBoard<Held>
  private let queue = FairQueue(workers: 1, capacity: 16, capacityPerClient: 8)
  private static let mostPaintings = 24
  /// The minimum time between two versions of the picture.
  private static let pictureInterval: Duration = .milliseconds(1500)
  private static let reportInterval: Duration = .milliseconds(250)

  /// Creates a service without paintings.
  init(_ events: EventHub) {
    board = WorkBoard(events, event: "optimization", noun: "painting")
  }

  /// Begins a painting, which waits until earlier paintings have ended.
  ///
  /// - Parameters:
  ///   - network: The file of the network that computes features.
  ///   - client: The client that gets the events.
  func begin(
    _ order: Order, photo: Picture, painting: Picture, network: URL, client: String,
    queueClient: FairQueue.Client
  ) -> Report {
    let report = Report(id: makeIdentifier("o"), order: order)
    board.works.withLock { held in
      held.append(Held(report: report, client: client))
      while held.count > Self.mostPaintings,
        let old = held.firstIndex(where: { $0.report.state.isFinal })
      {
        held.remove(at: old)
      }
    }
    let task = Task { [self] in
      do {
        try await queue.run(queueClient) { [self] in
          try await offload { [self] in
            try paint(report.id, order, photo: photo, painting: painting, network: network)
          }
        }
      } catch {
        let failure = httpError(of: error)
        board.change(report.id) { held in
          held.report.state = failure.status == 499 ? .stopped : .failed
          held.report.error = failure.status == 499 ? nil : failure.message
        }
      }
    }
    board.change(report.id, tells: false) { $0.task = task }
    return report
  }

  /// Paints until the end, or until a client stops it.
  private func paint(
    _ id: String, _ order: Order, photo: Picture, painting: Picture, network: URL
  ) throws {
    let start: ContinuousClock.Instant = .now
    board.change(id) { $0.report.state = .painting }
    let painter = try PicturePainter(
      photo, styles: [PaintingStyle(painting)], settings: order.settings,
      network: try FeatureNetwork(contentsOf: network))
    let (needed, free) = (try painter.estimatedBytes(), MemoryBudget.available())
    guard needed <= free else {
      throw HTTPError(
        507, "no_memory",
        "A painting of \(painter.size) needs about \(needed / 1_000_000) MB of memory, but only"
          + " \(free / 1_000_000) MB are free. Choose a smaller size.")
    }
    var (shown, told): (ContinuousClock.Instant, ContinuousClock.Instant) = (start, start)
    let picture: Picture = try painter.paint { progress, snapshot in
      let now: ContinuousClock.Instant = .now
      let isLast: Bool = progress.iteration == progress.iterations
      let isShown: Bool = now - shown >= Self.pictureInterval || progress.iteration == 1
      if isShown { shown = now }
      let picture: Picture? = isShown ? try snapshot() : nil
      let isTold: Bool = isShown || isLast || now - told >= Self.reportInterval
      if isTold { told = now }
      return board.change(id, tells: isTold) { held in
        held.report.iteration = progress.iteration
        held.report.iterations = progress.iterations
        held.report.share = progress.share
        held.report.seconds = (now - start) / .seconds(1)
        if let picture { held.show(picture) }
        return !held.isStopping
      } ?? false
    }
    board.change(id) { held in
      held.show(picture)
      held.report.seconds = (ContinuousClock.now - start) / .seconds(1)
      held.report.state = held.isStopping ? .stopped : .done
    }
  }

  /// The paintings of a client. The newest one is last.
  func reports(of client: String) -> [Report] { board.reports(of: client) }

  /// Returns the painting with the given identifier, as clients see it. Throws if there is none.
  func report(_ id: String) throws -> Report { try board.one(id).report }

  /// Returns the finished picture, or the picture so far.
  func picture(_ id: String) throws -> (Report, Picture) {
    let one: Held = try board.one(id)
    guard let picture = one.picture else {
      throw HTTPError(
        409, "not_begun", one.report.error ?? "There is no picture yet. Wait a moment.")
    }
    return (one.report, picture)
  }

  /// Ends a painting after the current step. The picture so far stays.
  func stop(_ id: String) throws {
    _ = try board.one(id)
    board.change(id, tells: false) { held in
      held.isStopping = true
      // Ends a painting that waits in the queue.
      held.task?.cancel()
    }
  }

  /// Ends a painting after the current step, and removes it.
  func remove(_ id: String) throws {
    try stop(id)
    board.works.withLock { $0.removeAll { $0.report.id == id } }
  }

  /// Ends all paintings after their current steps.
  func stopAll() {
    for id in board.identifiers { try? stop(id) }
  }
}
