import Engine

/// The options, limits and state of one prediction.
struct PredictionCall {
  /// The caller's options; nil for the defaults.
  let options: MLPredictionOptions?
  /// The time limit of the options, and the closure that returns whether the caller cancelled. The time starts when
  /// this value is made.
  let limits: RunLimits
  /// The caller's state; nil for a prediction without state.
  let state: StateMemory?

  init(
    _ options: MLPredictionOptions? = nil, state: StateMemory? = nil,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) {
    self.options = options
    self.state = state
    limits =
      options?.timeLimit == nil && options?.progress == nil && isCancelled == nil
      ? .none
      : RunLimits(
        timeLimit: options?.timeLimit.map { .seconds(max(0, min($0, 1e9))) },
        isCancelled: isCancelled, progress: options?.progress)
  }
}
