import Graph

/// A tensor of Keras's as the graph holds it.
struct KerasTensor {
  /// The value.
  let value: Graph.ValueID
  /// The number of axes, with the batch.
  let rank: Int
  /// Whether the graph holds Keras's last axis, that of the channels, as the second one.
  let isChannelFirst: Bool

  init(_ value: Graph.ValueID, rank: Int, isChannelFirst: Bool = false) {
    (self.value, self.rank, self.isChannelFirst) = (value, rank, isChannelFirst)
  }

  /// Where the graph holds an axis of Keras's, which may count from the end; nil where there is none.
  func place(of axis: Int) -> Int? {
    let axis: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(axis) else { return nil }
    guard isChannelFirst, axis > 0 else { return axis }
    return axis == rank - 1 ? 1 : axis + 1
  }

  /// Axes of the graph in Keras's order.
  static func toKeras(_ rank: Int) -> [Int] { [0] + Array(2..<rank) + [1] }

  /// Axes of Keras's in the order of the graph, channels second.
  static func toChannelFirst(_ rank: Int) -> [Int] { [0, rank - 1] + Array(1..<rank - 1) }
}
