import Foundation
import Platform

extension MLModel {
  /// Allocates memory for the model's states and fills it with zeros. The result is empty for a model without states.
  ///
  /// This method does not throw. If the model cannot be loaded or the memory does not suffice, predictions with the
  /// returned state throw.
  public func makeState() -> MLState {
    MLState(
      Result {
        try translatingErrors {
          guard let runner = try loaded.runner.networkRunner(), !runner.states.isEmpty else {
            return nil
          }
          return try StateMemory(runner.states)
        }
      })
  }

  /// Predicts and updates the state.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState
  ) throws -> any MLFeatureProvider {
    try prediction(from: inputFeatures, using: state, options: MLPredictionOptions())
  }

  /// Predicts and updates the state.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    let memory: StateMemory = try Self.memory(of: state)
    return try memory.lock.locked { try values(from: inputFeatures, options, memory) }
  }

  /// Predicts and updates the state, without blocking the caller.
  ///
  /// Predictions with the same state run one after another, in the order of their calls. A waiting prediction occupies
  /// no thread.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState,
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = SendableBox(input)
    let options = SendableBox(options)
    let memory: StateMemory = try Self.memory(of: state)
    try await memory.lock.acquire()
    defer { memory.lock.release() }
    return try await PredictionQueue.shared.result(threads: loaded.runner.threadCount) {
      isCancelled in
      try memory.lock.owned {
        SendableBox(
          try self.values(from: input.value, options.value, memory, isCancelled: isCancelled))
      }
    }
  }

  private static func memory(of state: MLState) throws -> StateMemory {
    guard let memory = try state.memory() else {
      throw MLModelError(
        .generic,
        "The state is empty, because a model without state made it. Call prediction(from:), or make "
          + "the state with this model's makeState().")
    }
    return memory
  }

  /// Predicts on a thread that holds the state's lock.
  private func values(
    from input: any MLFeatureProvider, _ options: MLPredictionOptions, _ memory: StateMemory,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    try memory.predicting {
      try values(
        from: input, call: PredictionCall(options, state: memory, isCancelled: isCancelled))
    }
  }
}
