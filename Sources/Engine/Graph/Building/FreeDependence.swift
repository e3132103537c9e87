/// States which extents and elements of a value depend on the free extents of the model's inputs.
///
/// A *source* is a free extent, or a quantity that is computed from a free extent and may differ from it. Two axes with
/// the same source always have the same extent.
struct FreeDependence: Equatable {
  /// For each axis, the source of its extent; nil if the extent does not depend on any free extent.
  var axes: [FreeSource?]
  /// For each element, whether the element depends on a source. Empty if no element depends on a source, or if the
  /// elements are not known before the network runs.
  var elements: [Bool] = []

  /// Returns a value without dependence on any free extent.
  static func none(rank: Int) -> FreeDependence {
    FreeDependence(axes: [FreeSource?](repeating: nil, count: rank))
  }

  /// Whether any axis or element depends on a source.
  var isFree: Bool { axes.contains { $0 != nil } || elements.contains(true) }
}

/// A quantity that depends on free extents.
struct FreeSource: Hashable {
  /// The number of the source. Two sources with the same number are equal in every run.
  let number: Int
  /// The smallest possible value of the quantity.
  let lower: Int
  /// The largest possible value of the quantity.
  let upper: Int
}
