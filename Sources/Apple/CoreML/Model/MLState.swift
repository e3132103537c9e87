import Foundation

/// The state of a model between predictions. ``MLModel/makeState()`` makes a state that is filled with zeros.
///
/// Several states of one model are independent of each other. Predictions with the same state run one after another. A
/// prediction that fails, is cancelled or exceeds its time limit may leave the state partly updated.
public final class MLState: NSObject, Sendable {
  /// The memory of the state; nil for a model without state. The result is an error if the model could not be loaded or
  /// the memory did not suffice.
  private let content: Result<StateMemory?, any Error>

  init(_ content: Result<StateMemory?, any Error>) {
    self.content = content
    super.init()
  }

  /// Returns the memory of the state, or nil for a model without state.
  ///
  /// - Throws: The error that prevented making the state.
  func memory() throws -> StateMemory? { try content.get() }

  /// Throws the error that prevented making the state, if there was one.
  package func check() throws { _ = try content.get() }

  /// The names of the model's states.
  package var stateNames: [String] { (try? content.get())?.states.map(\.name) ?? [] }

  /// Calls `body` with the memory of a state for reading and writing. Predictions with this state wait until `body`
  /// returns. The array is valid only during the call. If the model has no state with this name, the program stops.
  public func withMultiArray<R>(
    for stateName: String, _ body: (MLMultiArray) throws -> R
  ) rethrows -> R {
    let memory: StateMemory?
    switch content {
    case .success(let made): memory = made
    case .failure(let error): preconditionFailure("The state could not be made: \(error)")
    }
    guard let memory, let position = memory.states.firstIndex(where: { $0.name == stateName })
    else {
      preconditionFailure("The model has no state '\(stateName)'.")
    }
    return try memory.lock.locked { try memory.withArray(at: position, body) }
  }
}
