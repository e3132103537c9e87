import Foundation
import Platform
import Service

/// A bench in processes of their own: for models that others wrote, whose mistakes and ours in reading them
/// then cost one request its answer and nothing else.
///
/// A process works for one request at a time and stays for the next one, so that its model need not be
/// opened again. It is ended when nobody needs it for a minute, when it has grown large, when its request
/// is cancelled, and when that takes too long.
final class WorkerPool: Bench {
  private struct Resting {
    let worker: WorkerProcess
    /// The model that it worked with last.
    let file: URL
    let since: ContinuousClock.Instant
  }

  private struct State {
    var resting: [Resting] = []
    var busy: [WorkerProcess] = []
    var crashes = 0
    var isOver = false
  }

  private let program: URL
  private let limit: PictureLimit
  private let time: Duration
  private let turns = FairQueue(workers: mostWorkers, capacity: 1024, capacityPerClient: 1024)
  private let state = Locked(State())

  private static let mostWorkers = 2
  private static let mostBytes = 768 << 20

  /// - Parameters:
  ///   - program: what is started as a worker.
  ///   - seconds: the most time that a request may take.
  init(program: URL, _ limit: PictureLimit, seconds: Double) {
    self.program = program
    self.limit = limit
    time = .seconds(seconds)
  }

  /// The processes that run.
  var identifiers: [pid_t] {
    state.withLock { $0.resting.map(\.worker.identifier) + $0.busy.map(\.identifier) }
  }

  /// Those of them that work for a request.
  var busyIdentifiers: [pid_t] { state.withLock { $0.busy.map(\.identifier) } }

  /// How many processes ended without being told to.
  var crashCount: Int { state.withLock { $0.crashes } }

  /// The memory of all processes, in bytes.
  var residentBytes: Int {
    let workers = state.withLock { $0.resting.map(\.worker) + $0.busy }
    return workers.reduce(0) { $0 + $1.residentBytes }
  }

  func answer(
    _ question: BenchQuestion, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> BenchAnswer {
    let names = files.keys.sorted()
    let request = WorkerRequest(
      question: question, file: file, pixels: limit.pixels, names: names)
    let parts = names.compactMap { files[$0] }
    return try await turns.run(FairQueue.Client(address: "")) { [self] in
      let worker = try take(for: file)
      do {
        let answer = try await withTaskCancellationHandler {
          try await offload { [time] in
            try worker.answer(request, parts, within: time, progress: progress)
          }
        } onCancel: {
          worker.kill()
        }
        give(back: worker, file)
        return answer
      } catch let refusal as HTTPError {
        give(back: worker, file)
        throw refusal
      } catch {
        throw failure(of: worker, error)
      }
    }
  }

  /// Ends the workers that nobody has needed for so long.
  func end(unusedFor time: Duration) {
    let now = ContinuousClock.now
    let gone = state.withLock { state in
      let gone = state.resting.filter { now - $0.since >= time || $0.worker.hasEnded }
      state.resting.removeAll { one in gone.contains { $0.worker === one.worker } }
      return gone
    }
    for one in gone { one.worker.end() }
  }

  /// Ends all workers, for good.
  func close() {
    let workers = state.withLock { state in
      state.isOver = true
      defer { state.resting.removeAll() }
      return state.resting.map(\.worker) + state.busy
    }
    for worker in workers { worker.end() }
  }

  // MARK: Workers

  /// A worker that rests, the model's own before others, or a new one.
  private func take(for file: URL) throws -> WorkerProcess {
    end(unusedFor: .seconds(60))
    let known: WorkerProcess? = try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      let place = state.resting.firstIndex { $0.file == file } ?? state.resting.indices.first
      guard let place else { return nil }
      let worker = state.resting.remove(at: place).worker
      state.busy.append(worker)
      return worker
    }
    if let known { return known }
    let fresh = try WorkerProcess(program)
    let isOver = state.withLock { state in
      state.busy.append(fresh)
      return state.isOver
    }
    if isOver { fresh.kill() }
    return fresh
  }

  private func give(back worker: WorkerProcess, _ file: URL) {
    let isLarge = worker.residentBytes > Self.mostBytes
    let stays = state.withLock { state in
      state.busy.removeAll { $0 === worker }
      guard !isLarge, !state.isOver else { return false }
      state.resting.append(Resting(worker: worker, file: file, since: .now))
      return true
    }
    if !stays { worker.end() }
  }

  /// What a request is told whose worker gave no answer.
  private func failure(of worker: WorkerProcess, _ error: any Error) -> any Error {
    let isLate = (error as? WorkerStream.Failure) == .late
    worker.end()
    state.withLock { state in
      state.busy.removeAll { $0 === worker }
      if !isLate, !Task.isCancelled { state.crashes += 1 }
    }
    if Task.isCancelled { return CancellationError() }
    guard !isLate else {
      return HTTPError(
        504, "too_slow",
        "The model took longer than \(time / .seconds(1)) seconds, which is the most, and was ended."
      )
    }
    guard error is WorkerStream.Failure else { return error }
    return HTTPError(
      500, "crashed",
      "The process that the model ran in ended without an answer (\(worker.ending)). Only this"
        + " request is concerned; the next one gets a new process.")
  }
}
