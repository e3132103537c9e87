import Foundation
import Platform
import StyleTransfer

/// A training that can be stopped and gone on with.
///
/// `@unchecked Sendable`: what changes is touched under the lock.
public final class MLTrainingSession<Model>: @unchecked Sendable {
  /// How it keeps its work.
  public let parameters: MLTrainingSessionParameters
  /// When it was begun.
  public let date: Date
  /// What it trains.
  let plan: SessionPlan
  private let lock = NSLock()
  private var state = State()

  private struct State {
    var phase: MLPhase = .initialized
    var iteration: Int = 0
    var checkpoints: [MLCheckpoint] = []
  }

  init(_ plan: SessionPlan, parameters: MLTrainingSessionParameters) {
    self.plan = plan
    self.parameters = parameters
    date = plan.record.date
    state.checkpoints = plan.checkpoints()
    state.iteration = plan.iteration
  }

  /// What it does.
  public var phase: MLPhase { lock.withLock { state.phase } }
  /// How many steps were taken.
  public var iteration: Int { lock.withLock { state.iteration } }
  /// The points from which there is a model, oldest first.
  public var checkpoints: [MLCheckpoint] { lock.withLock { state.checkpoints } }

  /// Removes the files of the checkpoints that the closure picks.
  public func removeCheckpoints(_ predicate: (MLCheckpoint) -> Bool) throws {
    for checkpoint in checkpoints where predicate(checkpoint) {
      do {
        try FileManager.default.removeItem(at: checkpoint.url)
      } catch {
        throw MLCreateError.io(
          reason:
            "Checkpoint '\(checkpoint.url.path)' cannot be removed: \(ErrorSentence.reason(of: error))."
        )
      }
      lock.withLock { state.checkpoints.removeAll { $0.url == checkpoint.url } }
    }
  }

  /// Takes over what another session has found out about its pictures. Style transfer keeps nothing of
  /// that kind, so there is nothing to do.
  public func reuseExtractedFeatures(from session: MLTrainingSession) throws {}

  func enter(_ phase: MLPhase) { lock.withLock { state.phase = phase } }

  func pass(_ iteration: Int) { lock.withLock { state.iteration = iteration } }

  func add(_ checkpoint: MLCheckpoint) { lock.withLock { state.checkpoints.append(checkpoint) } }
}
