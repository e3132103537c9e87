import Foundation

/// The memory that a model keeps between predictions.
///
/// No model that can be loaded here has state yet, so none has anything in it.
public final class MLState: NSObject {
  override init() {
    super.init()
  }

  /// Calls `body` with the memory of a state.
  public func withMultiArray<R>(
    for stateName: String, _ body: (MLMultiArray) throws -> R
  ) rethrows -> R {
    preconditionFailure("The model has no state '\(stateName)'.")
  }
}
