import Foundation

extension MLModel {
  /// Makes memory for the model's states, all zero; empty for a model that has none.
  ///
  /// Where the model cannot be loaded, or the memory does not suffice, predictions with the state throw why.
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

  /// Predicts with state, which it changes.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState
  ) throws -> any MLFeatureProvider {
    try prediction(from: inputFeatures, using: state, options: MLPredictionOptions())
  }

  /// Predicts with state, which it changes.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    let memory: StateMemory = try Self.memory(of: state)
    return try memory.lock.locked { try values(from: inputFeatures, options, memory) }
  }

  /// Predicts with state, which it changes, without blocking the caller.
  ///
  /// Predictions with one state run one after the other, in their order; those that wait occupy no thread.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState,
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = HandedOver(input)
    let options = HandedOver(options)
    let memory: StateMemory = try Self.memory(of: state)
    try await memory.lock.take()
    defer { memory.lock.giveBack() }
    return try await PredictionQueue.shared.result(threads: loaded.runner.threadCount) {
      isCancelled in
      try memory.lock.owned {
        HandedOver(
          try self.values(from: input.value, options.value, memory, isCancelled: isCancelled))
      }
    }
  }

  private static func memory(of state: MLState) throws -> StateMemory {
    guard let memory = try state.memory() else {
      throw MLModelError(
        .generic,
        "The state is empty: it was made by a model without state. Call prediction(from:), or make "
          + "the state with this model's makeState().")
    }
    return memory
  }

  /// Predicts on a thread that has the state.
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
