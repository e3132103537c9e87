import Foundation
import Platform
import Service

/// Runs untrusted models in separate processes. If a model file or an error in our readers makes a process crash, only
/// one request fails.
///
/// A process serves one request at a time. It then stays for the next request, so that its model need not be opened
/// again. The pool ends a process that was idle for a minute or uses too much memory. The pool also ends a process
/// whose request is cancelled or takes too long.
final class WorkerPool: ModelWorker {
  private struct Idle {
    let worker: WorkerProcess
    /// The file of the model that the process used last.
    let file: URL
    let since: ContinuousClock.Instant
  }

  private struct State {
    var idle: [Idle] = []
    var busy: [WorkerProcess] = []
    var crashes = 0
    /// Whether ``close()`` was called. If so, no worker is started any more.
    var isOver = false
  }

  private let program: URL
  private let limit: PictureLimit
  private let time: Duration
  private let queue = FairQueue(workers: mostWorkers, capacity: 1024, capacityPerClient: 1024)
  private let state = Locked(State())

  private static let mostWorkers = 2
  private static let mostBytes = 768 << 20

  /// - Parameters:
  ///   - program: The program to start as a worker process.
  ///   - seconds: The time limit of a request, in seconds.
  init(program: URL, _ limit: PictureLimit, seconds: Double) {
    self.program = program
    self.limit = limit
    time = .seconds(seconds)
  }

  /// The process identifiers of all workers.
  var identifiers: [pid_t] {
    state.withLock { $0.idle.map(\.worker.identifier) + $0.busy.map(\.identifier) }
  }

  /// The process identifiers of the workers that serve a request.
  var busyIdentifiers: [pid_t] { state.withLock { $0.busy.map(\.identifier) } }

  /// How many processes ended unexpectedly.
  var crashCount: Int { state.withLock { $0.crashes } }

  /// The resident memory of all worker processes, in bytes.
  var residentBytes: Int {
    let workers = state.withLock { $0.idle.map(\.worker) + $0.busy }
    return workers.reduce(0) { $0 + $1.residentBytes }
  }

  func answer(
    _ request: ModelRequest, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> ModelResponse {
    let names = files.keys.sorted()
    let message = WorkerRequest(
      modelRequest: request, file: file, pixels: limit.pixels, names: names)
    let parts = names.compactMap { files[$0] }
    return try await queue.run(FairQueue.Client(address: "")) { [self] in
      let worker = try take(for: file)
      do {
        let answer = try await withTaskCancellationHandler {
          try await offload { [time] in
            try worker.answer(
              message, parts, within: request.hasTimeLimit ? time : nil, progress: progress)
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

  /// Ends the worker processes that were idle for at least this duration.
  func end(unusedFor time: Duration) {
    let now = ContinuousClock.now
    let gone = state.withLock { state in
      let gone = state.idle.filter { now - $0.since >= time || $0.worker.hasEnded }
      state.idle.removeAll { one in gone.contains { $0.worker === one.worker } }
      return gone
    }
    for one in gone { one.worker.end() }
  }

  /// Ends all worker processes. From now on, no new ones are started.
  func close() {
    let workers = state.withLock { state in
      state.isOver = true
      defer { state.idle.removeAll() }
      return state.idle.map(\.worker) + state.busy
    }
    for worker in workers { worker.end() }
  }

  // MARK: Workers

  /// Takes an idle worker, preferably one that has the model open, or starts a new one.
  private func take(for file: URL) throws -> WorkerProcess {
    end(unusedFor: .seconds(60))
    let known: WorkerProcess? = try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      let position = state.idle.firstIndex { $0.file == file } ?? state.idle.indices.first
      guard let position else { return nil }
      let worker = state.idle.remove(at: position).worker
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
      state.idle.append(Idle(worker: worker, file: file, since: .now))
      return true
    }
    if !stays { worker.end() }
  }

  /// Returns the error for a request whose worker gave no answer.
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
        "The model took longer than \(time / .seconds(1)) seconds, which is the limit, so its"
          + " process was ended."
      )
    }
    guard error is WorkerStream.Failure else { return error }
    return HTTPError(
      500, "crashed",
      "The process of the model crashed (\(worker.ending)). Only this request failed; the next one"
        + " gets a new process.")
  }
}
