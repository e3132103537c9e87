import Combine
import Foundation

/// A training that runs beside the caller.
///
/// `@unchecked Sendable`: subjects and `Progress` guard themselves, the flag is touched under the lock.
public final class MLJob<Result>: @unchecked Sendable {
  /// When it began.
  public let startDate = Date()
  /// How far it is; ``MLProgress`` reads what it measured. Cancelling it cancels the job.
  public let progress: Progress
  private let lock = NSLock()
  private var isStopped = false
  let results = CurrentValueSubject<Result, any Error>(nil)
  let points = PassthroughSubject<MLCheckpoint, Never>()
  let phases = CurrentValueSubject<MLPhase, Never>(.initialized)

  init() {
    progress = Progress(totalUnitCount: -1)
    progress.cancellationHandler = { [weak self] in self?.cancel() }
  }

  /// The model, or why there is none.
  public var result: AnyPublisher<Result, any Error> { results.eraseToAnyPublisher() }
  /// The checkpoints as they are written.
  public var checkpoints: AnyPublisher<MLCheckpoint, Never> { points.eraseToAnyPublisher() }
  /// What the job does, now and later.
  public var phase: AnyPublisher<MLPhase, Never> { phases.eraseToAnyPublisher() }
  /// Whether it was told to stop.
  public var isCanceled: Bool { lock.withLock { isStopped } }

  /// Tells it to stop; it ends behind the step that it is in, with a checkpoint and
  /// ``MLCreateError/cancelled``.
  public func cancel() { lock.withLock { isStopped = true } }

  /// Runs the work on a thread of its own and publishes what becomes of it.
  func start(_ work: @escaping @Sendable (MLJob<Result>) throws -> Result) {
    let thread = Thread { [self] in
      do {
        let made: Result = try work(self)
        results.send(made)
        results.send(completion: .finished)
      } catch {
        results.send(completion: .failure(error))
      }
      points.send(completion: .finished)
      phases.send(completion: .finished)
    }
    thread.name = "Create ML"
    thread.stackSize = 8 << 20
    thread.start()
  }
}
