import Engine

/// What belongs to one prediction: its options, and what may end it early.
struct PredictionCall {
  /// The caller's options; nil for the default ones.
  let options: MLPredictionOptions?
  /// The time limit of the options, counted from when this was made, and the caller's cancellation.
  let limits: RunLimits
  /// What the model keeps from one prediction to the next; nil where the caller gives none.
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
