import Foundation

/// The memory that a model keeps between predictions; ``MLModel/makeState()`` makes it, zero at first.
///
/// Two states of one model do not see each other. Predictions with one state run one after the other.
/// A prediction that fails, is cancelled or runs out of time may leave its state between the old and the new one.
public final class MLState: NSObject, Sendable {
  let memory: StateMemory?

  init(_ memory: StateMemory?) {
    self.memory = memory
    super.init()
  }

  /// The names of the states.
  package var stateNames: [String] { memory?.states.map(\.name) ?? [] }

  /// Calls `body` with the memory of a state, which it may read and write; predictions with this state wait
  /// meanwhile. A name that the model does not have is a mistake of the program's.
  public func withMultiArray<R>(
    for stateName: String, _ body: (MLMultiArray) throws -> R
  ) rethrows -> R {
    guard let memory, let position = memory.states.firstIndex(where: { $0.name == stateName })
    else {
      preconditionFailure("The model has no state '\(stateName)'.")
    }
    return try memory.locked { try memory.withArray(at: position, body) }
  }
}
