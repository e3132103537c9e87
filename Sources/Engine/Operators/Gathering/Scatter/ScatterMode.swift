import Graph

/// What a scattered value does to the one that is there. **Source:** `ScatterMode`.
public enum ScatterMode: Sendable, Hashable {
  /// Takes its place; the last of several wins.
  case update
  /// Is added.
  case add
  /// Is subtracted.
  case subtract
  /// Is multiplied.
  case multiply
  /// Divides it.
  case divide
  /// Takes its place where greater.
  case maximum
  /// Takes its place where smaller.
  case minimum

  /// The value that stands there afterwards.
  package func combine(_ held: Double, _ value: Double) -> Double {
    switch self {
    case .update: return value
    case .add: return held + value
    case .subtract: return held - value
    case .multiply: return held * value
    case .divide: return held / value
    case .maximum: return max(held, value)
    case .minimum: return min(held, value)
    }
  }
}

/// Checks the shape of what is scattered.
package func requireUpdates(_ updates: Shape, _ expected: Shape) throws {
  guard updates == expected else {
    throw EngineError(
      .invalidInput,
      "the updates are \(updates), expected \(expected) for these indices.")
  }
}
