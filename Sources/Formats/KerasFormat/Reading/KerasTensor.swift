import Graph

/// A tensor of the Keras model, as a value of the graph.
struct KerasTensor {
  /// The value.
  let value: Graph.ValueID
  /// The number of axes, including the batch axis.
  let rank: Int
  /// Whether the value in the graph has Keras's last axis, the channels, as its second axis.
  let isChannelFirst: Bool

  init(_ value: Graph.ValueID, rank: Int, isChannelFirst: Bool = false) {
    (self.value, self.rank, self.isChannelFirst) = (value, rank, isChannelFirst)
  }

  /// Returns the axis of the graph's value that corresponds to an axis in Keras's order. A negative `axis` counts back
  /// from the last axis. Nil if the axis does not exist.
  func graphAxis(of axis: Int) -> Int? {
    let axis: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(axis) else { return nil }
    guard isChannelFirst, axis > 0 else { return axis }
    return axis == rank - 1 ? 1 : axis + 1
  }

  /// Returns the permutation that transposes a channels-first value to Keras's axis order.
  static func toKeras(_ rank: Int) -> [Int] { [0] + Array(2..<rank) + [1] }

  /// Returns the permutation that transposes Keras's axis order to channels-first.
  static func toChannelFirst(_ rank: Int) -> [Int] { [0, rank - 1] + Array(1..<rank - 1) }
}
