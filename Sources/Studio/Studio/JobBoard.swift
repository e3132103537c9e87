import Foundation
import Platform
import Service

/// Runs painting jobs in the background and stores their results. The studio answers the request for a job immediately.
/// Clients can watch the progress of a job and cancel the job.
final class JobBoard: Sendable {
  /// The state of a job.
  enum State: String, Codable, Sendable {
    case waiting, reading, painting, done, failed, cancelled

    /// Whether a job in this state never changes its state again.
    var isFinal: Bool { self == .done || self == .failed || self == .cancelled }
  }

  /// A job as clients see it.
  struct Job: Codable, Sendable {
    let id: String
    var state: State = .waiting
    var order: StylizeOrder
    /// The width of the painting in pixels. Like `height`, it is nil until the picture is painted.
    var width: Int?
    var height: Int?
    /// The width in pixels at which the network painted. Like `paintedHeight`, it is nil until the picture is painted.
    /// It differs from `width` if the network has a fixed size.
    var paintedWidth: Int?
    var paintedHeight: Int?
    /// How long painting took in seconds, without the time in the queue.
    var seconds: Double?
    /// The share of the network's layers that are computed, 0 to 1.
    var progress: Double?
    /// The expected time of painting in seconds, from earlier paintings of the same network.
    var expectedSeconds: Double?
    var created = Date()
    var error: String?
  }

  private struct Held {
    var job: Job
    let client: String
    var task: Task<Void, Never>?
    var painted: PaintedPicture?
  }

  private struct Board {
    var held: [Held] = []
    /// The seconds per megapixel of earlier paintings, by network.
    var pace: [String: Double] = [:]
  }

  private let events: EventHub
  private let board = Locked(Board())
  private static let mostJobs = 200
  /// The maximum number of bytes of finished paintings in memory. The board keeps the paintings, because clients choose
  /// strength and format after painting.
  private static let mostBytes = 256 << 20

  /// Creates an empty board.
  init(_ events: EventHub) { self.events = events }

  /// Begins a job.
  ///
  /// - Parameter work: A function that paints. Its argument is a closure, which the function calls with the new state
  ///   and with the share of the layers that are computed, 0 to 1.
  func begin(
    _ order: StylizeOrder, client: String, pixels: Int?,
    _ work:
      @escaping @Sendable (@escaping @Sendable (State, Double) -> Void) async throws -> (
        PaintedPicture, seconds: Double
      )
  ) -> Job {
    let id = makeIdentifier("j")
    let pace = Self.paceKey(order)
    let job: Job = board.withLock { board in
      var job = Job(id: id, order: order)
      if let pixels, let known = board.pace[pace] {
        job.expectedSeconds = known * Double(pixels) / 1e6
      }
      board.held.append(Held(job: job, client: client))
      while board.held.count > Self.mostJobs,
        let old = board.held.firstIndex(where: { $0.job.state.isFinal })
      {
        board.held.remove(at: old)
      }
      return job
    }
    let task = Task { [self] in
      do {
        let reports = ReportPace()
        let (painted, seconds) = try await work { [self] state, share in
          guard share == 0 || reports.isDue(share) else { return }
          change(id) { job in
            guard !job.state.isFinal else { return }
            job.state = state
            job.progress = state == .painting ? share : nil
          }
        }
        finish(id, painted, seconds, pace)
      } catch {
        let failure = httpError(of: error)
        change(id) { job in
          job.state = failure.status == 499 ? .cancelled : .failed
          job.error = failure.message
        }
      }
    }
    board.withLock { board in
      guard let position = board.held.firstIndex(where: { $0.job.id == id }) else { return }
      board.held[position].task = task
    }
    return job
  }

  /// Returns the jobs of a client. The newest job is last.
  func jobs(of client: String) -> [Job] {
    board.withLock { $0.held.filter { $0.client == client }.map(\.job) }
  }

  /// Returns the job with the given identifier. Throws if there is none.
  func job(_ id: String) throws -> Job { try held(id).job }

  /// Returns a finished job and its painting. Throws if the job is not done, or if the painting was removed to free
  /// memory.
  func painted(_ id: String) throws -> (Job, PaintedPicture) {
    let held = try held(id)
    guard held.job.state == .done else {
      throw HTTPError(
        409, "not_done", held.job.error ?? "The painting is not done yet (\(held.job.state)).")
    }
    guard let painted = held.painted else {
      throw HTTPError(410, "gone", "The painting was removed to free memory. Paint it again.")
    }
    return (held.job, painted)
  }

  /// Cancels a job that waits or runs. Removes a job that has ended.
  func cancel(_ id: String) throws {
    let held = try held(id)
    if held.job.state.isFinal {
      board.withLock { $0.held.removeAll { $0.job.id == id } }
    } else {
      held.task?.cancel()
    }
  }

  /// How many jobs wait or run.
  var openCount: Int { board.withLock { $0.held.count { !$0.job.state.isFinal } } }

  private func held(_ id: String) throws -> Held {
    guard let held = board.withLock({ $0.held.first { $0.job.id == id } }) else {
      throw HTTPError.missing("job of that name")
    }
    return held
  }

  private func change(_ id: String, _ body: (inout Job) -> Void) {
    let changed: (Job, String)? = board.withLock { board in
      guard let position = board.held.firstIndex(where: { $0.job.id == id }) else { return nil }
      body(&board.held[position].job)
      return (board.held[position].job, board.held[position].client)
    }
    if let (job, client) = changed { events.send("job", job, to: client) }
  }

  private func finish(_ id: String, _ painted: PaintedPicture, _ seconds: Double, _ pace: String) {
    let pixels = Double(painted.painting.width * painted.painting.height)
    board.withLock { board in
      if pixels > 10_000 { board.pace[pace] = seconds / pixels * 1e6 }
      guard let position = board.held.firstIndex(where: { $0.job.id == id }) else { return }
      board.held[position].painted = painted
      var bytes = board.held.reduce(0) { $0 + ($1.painted?.bytes ?? 0) }
      for old in board.held.indices where bytes > Self.mostBytes && old != position {
        bytes -= board.held[old].painted?.bytes ?? 0
        board.held[old].painted = nil
      }
    }
    change(id) { job in
      job.state = .done
      job.progress = 1
      job.seconds = seconds
      job.width = painted.painting.width
      job.height = painted.painting.height
      job.paintedWidth = painted.paintedSize.width
      job.paintedHeight = painted.paintedSize.height
    }
  }

  private static func paceKey(_ order: StylizeOrder) -> String {
    "\(order.style) \(order.network.rawValue) \(order.units)"
  }
}
