import Combine
import Foundation
import Platform

/// A training that runs in the background.
///
/// `@unchecked Sendable`: the future, the subjects, `Progress` and the flag are thread-safe.
public final class MLJob<Result>: @unchecked Sendable {
  /// The date at which the job started.
  public let startDate = Date()
  /// The progress of the job. ``MLProgress`` reads the job's metrics from this object. Cancelling this object cancels
  /// the job.
  public let progress: Progress
  private let isStopped = Locked(false)
  private let results: Future<Result, any Error>
  private let fulfil: Future<Result, any Error>.Promise
  let points = PassthroughSubject<MLCheckpoint, Never>()
  let phases = CurrentValueSubject<MLPhase, Never>(.initialized)

  init() {
    // The future calls its closure before it returns.
    var promise: Future<Result, any Error>.Promise = { _ in }
    results = Future { promise = $0 }
    fulfil = promise
    progress = Progress(totalUnitCount: -1)
    progress.cancellationHandler = { [weak self] in self?.cancel() }
  }

  /// Publishes the trained model when the job succeeds. The completion contains the error when the job fails.
  public var result: AnyPublisher<Result, any Error> { results.eraseToAnyPublisher() }
  /// Publishes each checkpoint after the job has written it.
  public var checkpoints: AnyPublisher<MLCheckpoint, Never> { points.eraseToAnyPublisher() }
  /// Publishes the current phase and every later phase.
  public var phase: AnyPublisher<MLPhase, Never> { phases.eraseToAnyPublisher() }
  /// Whether the job was cancelled.
  public var isCanceled: Bool { isStopped.withLock { $0 } }

  /// Cancels the job. The job ends after the current iteration, with a checkpoint and ``MLCreateError/cancelled``.
  public func cancel() { isStopped.withLock { $0 = true } }

  /// Runs the work on a new thread and publishes the result.
  func start(_ work: @escaping @Sendable (MLJob<Result>) throws -> Result) {
    let thread = Thread { [self] in
      do {
        fulfil(.success(try work(self)))
      } catch {
        fulfil(.failure(error))
      }
      points.send(completion: .finished)
      phases.send(completion: .finished)
    }
    thread.name = "Create ML"
    thread.stackSize = 8 << 20
    thread.start()
  }
}
