import Graph

/// What an index may be, and what becomes of one that names no place.
public struct IndexRule: Sendable, Hashable {
  /// Whether negative indices count from the end; otherwise they name no place.
  public let countsFromEnd: Bool
  /// Whether an index that names no place is an error; otherwise it gathers 0 and scatters nothing.
  public let isChecked: Bool

  /// A rule.
  public init(countsFromEnd: Bool, isChecked: Bool) {
    self.countsFromEnd = countsFromEnd
    self.isChecked = isChecked
  }

  /// Negative indices count from the end; what does not exist is an error.
  public static let fromEnd = IndexRule(countsFromEnd: true, isChecked: true)

  /// The place that an index names on an axis; nil where it names none and that is no error.
  package func place(_ value: Double, of extent: Int, axis: Int) throws -> Int? {
    let index: Int = ReferenceTensor.integer(value)
    let place: Int = countsFromEnd && index < 0 ? index + extent : index
    if (0..<extent).contains(place) { return place }
    guard isChecked else { return nil }
    throw EngineError(
      .invalidValue,
      "index \(index) does not exist on axis \(axis), expected \(countsFromEnd ? -extent : 0) to \(extent - 1)."
    )
  }
}
