import Foundation

/// The memory that a model keeps between predictions; ``MLModel/makeState()`` makes it, zero at first.
///
/// Two states of one model do not see each other. Predictions with one state run one after the other.
/// A prediction that fails, is cancelled or runs out of time may leave its state between the old and the new one.
public final class MLState: NSObject, Sendable {
  /// Nil for a model that keeps nothing; the error where the model could not be loaded, or had no memory.
  private let content: Result<StateMemory?, any Error>

  init(_ content: Result<StateMemory?, any Error>) {
    self.content = content
    super.init()
  }

  /// The memory; nil for a model that keeps nothing.
  ///
  /// - Throws: why the state could not be made.
  func memory() throws -> StateMemory? { try content.get() }

  /// Throws why the state could not be made.
  package func check() throws { _ = try content.get() }

  /// The names of the states.
  package var stateNames: [String] { (try? content.get())?.states.map(\.name) ?? [] }

  /// Calls `body` with the memory of a state, which it may read and write; predictions with this state wait
  /// meanwhile. The array has the state's memory during the call. A name that the model does not have is a mistake of
  /// the program's.
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
