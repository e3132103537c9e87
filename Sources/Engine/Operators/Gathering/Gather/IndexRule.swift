import Graph

/// Decides which indices of a gathering or scattering operator are valid, and what the operator does for an invalid
/// index.
public struct IndexRule: Sendable, Hashable {
  /// Whether negative indices count from the end. If false, negative indices are invalid.
  public let countsFromEnd: Bool
  /// Whether an invalid index is an error. If false, gathering gives 0 for an invalid index, and scattering ignores it.
  public let isChecked: Bool

  /// Creates a rule.
  public init(countsFromEnd: Bool, isChecked: Bool) {
    self.countsFromEnd = countsFromEnd
    self.isChecked = isChecked
  }

  /// Negative indices count from the end; indices out of range are errors.
  public static let fromEnd = IndexRule(countsFromEnd: true, isChecked: true)

  /// Returns the non-negative index on an axis of this extent. For an invalid index, throws if ``isChecked`` is true,
  /// otherwise returns nil.
  package func resolved(_ value: Double, of extent: Int, axis: Int) throws -> Int? {
    let index: Int = ReferenceTensor.integer(value)
    let resolved: Int = countsFromEnd && index < 0 ? index + extent : index
    if (0..<extent).contains(resolved) { return resolved }
    guard isChecked else { return nil }
    throw EngineError(
      .invalidValue,
      "index \(index) does not exist on axis \(axis), expected \(countsFromEnd ? -extent : 0) to \(extent - 1)."
    )
  }
}
