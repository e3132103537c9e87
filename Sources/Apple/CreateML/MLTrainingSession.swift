import Foundation
import Platform
import StyleTransfer

/// A training that a caller can stop and resume.
public final class MLTrainingSession<Model>: Sendable {
  /// The parameters of the session.
  public let parameters: MLTrainingSessionParameters
  /// The date at which the session was made.
  public let date: Date
  /// The training data, the settings and the folder of the session.
  let plan: SessionPlan
  private let state: Locked<State>

  private struct State {
    var phase: MLPhase = .initialized
    var iteration: Int = 0
    var checkpoints: [MLCheckpoint] = []
  }

  init(_ plan: SessionPlan, parameters: MLTrainingSessionParameters) {
    self.plan = plan
    self.parameters = parameters
    date = plan.record.date
    state = Locked(State(iteration: plan.iteration, checkpoints: plan.checkpoints()))
  }

  /// The current phase.
  public var phase: MLPhase { state.withLock { $0.phase } }
  /// The number of finished iterations.
  public var iteration: Int { state.withLock { $0.iteration } }
  /// The checkpoints, oldest first.
  public var checkpoints: [MLCheckpoint] { state.withLock { $0.checkpoints } }

  /// Removes the files of the checkpoints for which the closure returns true.
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
      state.withLock { $0.checkpoints.removeAll { $0.url == checkpoint.url } }
    }
  }

  /// Reuses the extracted features of another session. Has no effect, because style transfer extracts no features.
  public func reuseExtractedFeatures(from session: MLTrainingSession) throws {}

  func enter(_ phase: MLPhase) { state.withLock { $0.phase = phase } }

  func pass(_ iteration: Int) { state.withLock { $0.iteration = iteration } }

  func add(_ checkpoint: MLCheckpoint) { state.withLock { $0.checkpoints.append(checkpoint) } }
}
