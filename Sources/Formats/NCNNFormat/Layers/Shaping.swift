import Graph
import Operators

extension NCNNLayerReader {
  /// Layers that reshape, pad, crop or transpose values, and layers that leave their input unchanged.
  static let shaping: [NCNNLayerReader] = [
    NCNNLayerReader("Flatten") { context in
      let x: Graph.ValueID = try context.input()
      return try context.rank(x) == 2
        ? x : try context.add(ReshapeStaticOperator(targetShape: [1, -1]), x)
    },
    NCNNLayerReader("Reshape", [0, 1, 2], only: [3: 0]) { try $0.reshape() },
    NCNNLayerReader("Permute", [0]) { try $0.permute() },
    NCNNLayerReader("Padding", [0, 1, 2, 3, 4, 5], only: [6: 0, 7: 0, 8: 0]) { try $0.pad() },
    NCNNLayerReader("Crop", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) { try $0.crop() },
    NCNNLayerReader("ShuffleChannel", [0, 1]) { try $0.shuffleChannels() },
    NCNNLayerReader("Dropout", only: [0: 1]) { try $0.input() },
    NCNNLayerReader("Noop") { try $0.input() },
  ]
}

extension NCNNContext {
  /// The number in the place of an extent that a file does not state.
  private static let absent = -233

  fileprivate func reshape() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let old: [Int?] = try extents(x)
    // Parameters 0, 1 and 2 are the columns, the rows and the channels.
    let stated: [Int] = try [2, 1, 0].map { try parameters.int($0, or: Self.absent) }
    let sizes: [Int] = Array(stated.drop { $0 == Self.absent })
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= -1 }), sizes.count(where: { $0 == -1 }) <= 1
    else {
      throw invalid("it states the extents \(stated), expected numbers of which one may be -1.")
    }
    let target: [Int] = try sizes.enumerated().map { index, size in
      guard size == 0 else { return size }
      // Zero keeps the extent of the axis of the same name: counted from the last axis.
      let axis: Int = old.count - (sizes.count - index)
      guard axis >= 1, let kept = old[axis] else {
        throw unsupported("it keeps an extent that is not known.")
      }
      return kept
    }
    return try add(ReshapeStaticOperator(targetShape: [1] + target), x)
  }

  /// The axes of the graph for each order of channels, rows and columns.
  private static let orders: [[Int]] = [
    [0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1],
  ]

  fileprivate func permute() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let order: Int = try parameters.int(0, or: 0)
    switch (try rank(x), order) {
    case (_, 0): return x
    case (3, 1): return try add(TransposeOperator(axes: [0, 2, 1]), x)
    case (4, 1...5): return try add(TransposeOperator(axes: Self.orders[order]), x)
    default: throw unsupported("the order \(order) does not exist for its input.")
    }
  }

  fileprivate func pad() throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    let sides: [Int] = try (0..<4).map { try size($0, or: 0, "An amount of padding", from: 0) }
    let mode: PaddingOperator.Mode
    switch try parameters.int(4, or: 0) {
    case 0: mode = .constant(try parameters.float(5, or: 0))
    case 1: mode = .replication
    case 2: mode = .reflection
    case let other: throw unsupported("its kind of padding is \(other), expected 0 to 2.")
    }
    return try add(
      PaddingOperator(
        amounts: EdgeAmounts(top: sides[0], bottom: sides[1], left: sides[2], right: sides[3]),
        mode: mode),
      x)
  }

  fileprivate func crop() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let rank: Int = try rank(x)
    guard inputs.count == 1 else {
      throw unsupported("it crops to the size of a second input.")
    }
    var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
    if parameters.has(9) {
      let (begins, ends) = (try parameters.ints(9), try parameters.ints(10))
      let axes: [Int] = try parameters.has(11) ? parameters.ints(11) : Array(begins.indices)
      guard begins.count == ends.count, begins.count == axes.count else {
        throw invalid(
          "it states \(begins.count) begins and \(ends.count) ends for \(axes.count) axes.")
      }
      for (index, stated) in axes.enumerated() {
        slices[try axis(stated, rank: rank)] = AxisSlice(
          begin: begins[index] == Self.absent ? nil : begins[index],
          end: ends[index] == Self.absent || ends[index] == Int(Int32.max) ? nil : ends[index])
      }
      return try add(SliceStaticOperator(slices: slices), x)
    }
    // Columns, rows and channels: the first index, the number of elements, and the number left out at the end.
    for (position, axis) in (1..<rank).reversed().enumerated() {
      let begin: Int = try size(position, or: 0, "An offset", from: 0)
      let count: Int = try parameters.int(3 + position, or: 0)
      let after: Int = try size(6 + position, or: 0, "An offset", from: 0)
      guard count >= 0 || count == Self.absent, count <= 1 << 20 else {
        throw invalid("it crops to \(count) elements, expected 0 or more.")
      }
      slices[axis] = AxisSlice(
        begin: begin, end: count > 0 ? begin + count : after > 0 ? -after : nil)
    }
    return try add(SliceStaticOperator(slices: slices), x)
  }

  fileprivate func shuffleChannels() throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    let (count, extents) = (try channels(x), try extents(x))
    let stated: Int = try size(0, or: 1, "The number of groups")
    guard count % stated == 0, let height = extents[2], let width = extents[3] else {
      throw invalid(
        "\(count) channels in \(stated) groups cannot be exchanged, expected a known size and groups that divide the channels."
      )
    }
    let groups: Int = try parameters.int(1, or: 0) == 0 ? stated : count / stated
    let apart = try add(
      ReshapeStaticOperator(targetShape: [1, groups, count / groups, height * width]), x)
    let exchanged = try add(TransposeOperator(axes: [0, 2, 1, 3]), apart)
    return try add(ReshapeStaticOperator(targetShape: [1, count, height, width]), exchanged)
  }
}
