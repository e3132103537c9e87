import Foundation
import Platform
import Service

/// Paintings that are made beside the requests that asked for them: their progress can be watched, and
/// they can be cancelled.
final class JobBoard: Sendable {
  /// How far a job is.
  enum State: String, Codable, Sendable {
    case waiting, reading, painting, done, failed, cancelled

    /// Whether nothing will change any more.
    var isFinal: Bool { self == .done || self == .failed || self == .cancelled }
  }

  /// What is told of a job.
  struct Job: Codable, Sendable {
    let id: String
    var state: State = .waiting
    var order: StylizeOrder
    /// The size of the painting.
    var width: Int?
    var height: Int?
    /// The size at which the network painted, where it paints one size only.
    var paintedWidth: Int?
    var paintedHeight: Int?
    /// How long the work took, without the time in the queue, in seconds.
    var seconds: Double?
    /// The share of the network's layers that are done, while it paints.
    var progress: Double?
    /// How long it may take, by what the same network took before.
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
    /// Seconds for a megapixel, by network.
    var pace: [String: Double] = [:]
  }

  private let events: EventHub
  private let board = Locked(Board())
  private static let mostJobs = 200
  /// The paintings that are kept so that their strength and format can be chosen.
  private static let mostBytes = 256 << 20

  /// An empty board.
  init(_ events: EventHub) { self.events = events }

  /// Begins a job.
  ///
  /// - Parameter work: paints, and says in which state it is and how much of that is done.
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
      guard let place = board.held.firstIndex(where: { $0.job.id == id }) else { return }
      board.held[place].task = task
    }
    return job
  }

  /// The jobs of a client, newest last.
  func jobs(of client: String) -> [Job] {
    board.withLock { $0.held.filter { $0.client == client }.map(\.job) }
  }

  /// A job.
  func job(_ id: String) throws -> Job { try held(id).job }

  /// What a job painted.
  func painted(_ id: String) throws -> (Job, PaintedPicture) {
    let held = try held(id)
    guard held.job.state == .done else {
      throw HTTPError(
        409, "not_done", held.job.error ?? "The painting is not done yet (\(held.job.state)).")
    }
    guard let painted = held.painted else {
      throw HTTPError(410, "gone", "The painting is not kept any more. Paint it again.")
    }
    return (held.job, painted)
  }

  /// Cancels a job, or takes away one that is done.
  func cancel(_ id: String) throws {
    let held = try held(id)
    if held.job.state.isFinal {
      board.withLock { $0.held.removeAll { $0.job.id == id } }
    } else {
      held.task?.cancel()
    }
  }

  /// How many jobs are not done.
  var openCount: Int { board.withLock { $0.held.count { !$0.job.state.isFinal } } }

  private func held(_ id: String) throws -> Held {
    guard let held = board.withLock({ $0.held.first { $0.job.id == id } }) else {
      throw HTTPError.missing("job of that name")
    }
    return held
  }

  private func change(_ id: String, _ body: (inout Job) -> Void) {
    let changed: (Job, String)? = board.withLock { board in
      guard let place = board.held.firstIndex(where: { $0.job.id == id }) else { return nil }
      body(&board.held[place].job)
      return (board.held[place].job, board.held[place].client)
    }
    if let (job, client) = changed { events.send("job", job, to: client) }
  }

  private func finish(_ id: String, _ painted: PaintedPicture, _ seconds: Double, _ pace: String) {
    let pixels = Double(painted.painting.width * painted.painting.height)
    board.withLock { board in
      if pixels > 10_000 { board.pace[pace] = seconds / pixels * 1e6 }
      guard let place = board.held.firstIndex(where: { $0.job.id == id }) else { return }
      board.held[place].painted = painted
      var bytes = board.held.reduce(0) { $0 + ($1.painted?.bytes ?? 0) }
      for old in board.held.indices where bytes > Self.mostBytes && old != place {
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
