/// Which extents and elements of a value depend on a free extent of the inputs.
///
/// A free extent is a *source*; so is everything that was computed of one and may differ from it.
/// Two axes that share a source always have the same extent.
struct FreeDependence: Equatable {
  /// For each axis, the source of its extent; nil where the extent is the same for every input.
  var axes: [FreeSource?]
  /// For each element, whether it depends on a source; empty where no element does, or where the
  /// elements are not known before the network runs.
  var elements: [Bool] = []

  /// What does not depend on any free extent.
  static func none(rank: Int) -> FreeDependence {
    FreeDependence(axes: [FreeSource?](repeating: nil, count: rank))
  }

  /// Whether any axis or element depends on a source.
  var isFree: Bool { axes.contains { $0 != nil } || elements.contains(true) }
}

/// A quantity that depends on free extents.
struct FreeSource: Hashable {
  /// Its number; equal numbers mean equal quantities.
  let number: Int
  /// The least that it may be.
  let lower: Int
  /// The most that it may be.
  let upper: Int
}
