import Foundation

extension MLModel {
  /// Makes memory for the model's states, all zero; empty for a model that has none.
  public func makeState() -> MLState {
    guard let runner = try? loaded.runner.networkRunner(), !runner.states.isEmpty else {
      return MLState(nil)
    }
    do {
      return MLState(try StateMemory(runner.states))
    } catch {
      // As everywhere in Swift, memory that the system does not give ends the program.
      fatalError("The model's state does not fit the memory: \(error)")
    }
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
    try values(from: inputFeatures, options, state)
  }

  /// Predicts with state, which it changes, without blocking the caller.
  ///
  /// Predictions with one state run one after the other.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState,
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = HandedOver(input)
    let options = HandedOver(options)
    return try await PredictionQueue.shared.result(threads: loaded.runner.threadCount) {
      isCancelled in
      HandedOver(
        try self.values(from: input.value, options.value, state, isCancelled: isCancelled))
    }
  }

  private func values(
    from input: any MLFeatureProvider, _ options: MLPredictionOptions, _ state: MLState,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    guard let memory = state.memory else {
      throw MLModelError(
        .generic,
        "The state is empty: it was made by a model without state. Call prediction(from:), or make "
          + "the state with this model's makeState().")
    }
    return try memory.locked {
      try values(
        from: input, call: PredictionCall(options, state: memory, isCancelled: isCancelled))
    }
  }
}
