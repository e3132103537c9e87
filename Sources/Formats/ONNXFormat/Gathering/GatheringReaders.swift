import Graph
import Operators

/// Operators that gather or scatter elements and slices.
enum GatheringReaders {
  static let all: [NodeReader] = [
    NodeReader("Gather", as: [GatherOperator.self], .exact) { node in
      let (x, indices) = (try node.tensor(0), try node.tensor(1))
      let axis: Int = try node.axis(node.int("axis", or: 0), rank: node.rank(x))
      return [ONNXTensor(try node.add(GatherOperator(axis: axis), x.id, indices.id), x.element)]
    },
    NodeReader("GatherElements", as: [GatherAlongAxisOperator.self], .exact) { node in
      let (x, indices) = (try node.tensor(0), try node.tensor(1))
      let axis: Int = try node.axis(node.int("axis", or: 0), rank: node.rank(x))
      let part: Graph.ValueID = try node.leading(x, as: indices, but: axis)
      return [
        ONNXTensor(try node.add(GatherAlongAxisOperator(axis: axis), part, indices.id), x.element)
      ]
    },
    NodeReader("GatherND", as: [GatherNDOperator.self], .exact) { node in
      let (x, indices) = (try node.tensor(0), try node.tensor(1))
      let gather = GatherNDOperator(batchAxes: node.int("batch_dims", or: 0))
      return [ONNXTensor(try node.add(gather, x.id, indices.id), x.element)]
    },
    scatter("ScatterElements", as: ScatterAlongAxisOperator.self) { try $0.scattered($1) },
    scatter("Scatter", as: ScatterAlongAxisOperator.self) { try $0.scattered($1) },
    scatter("ScatterND", as: ScatterNDOperator.self) { node, mode in
      var writing = ScatterNDOperator(mode: mode)
      writing.overflow = try node.tensor(0).element.overflowFromONNX
      return try node.add(writing, (0..<3).map { try node.tensor($0).id })
    },
    NodeReader("OneHot", as: [OneHotOperator.self], .exact) { [try $0.oneHot()] },
    NodeReader("TensorScatter", as: [ScatterAlongAxisOperator.self], .exact) { [try $0.cache()] },
  ]

  private static func scatter(
    _ name: String, as type: any Operator.Type,
    _ make: @escaping @Sendable (ONNXNode, ScatterMode) throws -> Graph.ValueID
  ) -> NodeReader {
    NodeReader(name, as: [type]) { node in
      let written: String = node.string("reduction", or: "none")
      guard let mode = modes[written] else {
        let known: String = modes.keys.sorted().joined(separator: ", ")
        throw node.invalid("the reduction is '\(written)', expected one of \(known).")
      }
      return [ONNXTensor(try make(node, mode), try node.tensor(0).element)]
    }
  }

  private static let modes: [String: ScatterMode] = [
    "none": .update, "add": .add, "mul": .multiply, "max": .maximum, "min": .minimum,
  ]
}

extension ONNXNode {
  /// Returns the axes, other than `axis`, along which the extent of a tensor exceeds that of the indices. Each entry
  /// has the axis and the extent of the indices along that axis.
  private func longerAxes(_ x: ONNXTensor, than indices: ONNXTensor, but axis: Int) throws
    -> [(axis: Int, count: Int)]
  {
    let (own, named) = (try extents(x), try extents(indices))
    guard own.count == named.count else {
      throw invalid("the indices have \(named.count) axes, expected \(own.count) as the input.")
    }
    return try own.indices.compactMap { dimension in
      guard dimension != axis, let size = own[dimension], let count = named[dimension],
        size != count
      else {
        return nil
      }
      guard count < size else {
        throw invalid(
          "the indices have \(count) elements on axis \(dimension), expected at most the input's \(size)."
        )
      }
      return (dimension, count)
    }
  }

  /// Slices the leading part of a tensor. Along all axes but `axis`, the part has the extents of the indices.
  fileprivate func leading(_ x: ONNXTensor, as indices: ONNXTensor, but axis: Int) throws
    -> Graph.ValueID
  {
    try longerAxes(x, than: indices, but: axis).reduce(x.id) { part, longer in
      try sliced(part, axis: longer.axis, rank: try rank(x), from: 0, to: longer.count)
    }
  }

  /// Scatters elements to indices along an axis. Along the other axes, the tensor may be longer than the indices. The
  /// elements beyond the indices stay unchanged, and are concatenated after the part to which elements were scattered.
  fileprivate func scattered(_ mode: ScatterMode) throws -> Graph.ValueID {
    let (x, indices, updates) = (try tensor(0), try tensor(1), try tensor(2))
    let rank: Int = try rank(x)
    let axis: Int = try axis(int("axis", or: 0), rank: rank)
    var parts: [Graph.ValueID] = [x.id]
    let longer = try longerAxes(x, than: indices, but: axis)
    for (dimension, count) in longer {
      parts.append(
        try sliced(parts[parts.count - 1], axis: dimension, rank: rank, from: 0, to: count))
    }
    var writing = ScatterAlongAxisOperator(axis: axis, mode: mode)
    writing.overflow = x.element.overflowFromONNX
    var made: Graph.ValueID = try add(
      writing, parts[parts.count - 1], indices.id,
      updates.id)
    for (step, (dimension, count)) in longer.enumerated().reversed() {
      let rest = try sliced(parts[step], axis: dimension, rank: rank, from: count, to: nil)
      made = try add(ConcatNDOperator(axis: dimension), made, rest)
    }
    return made
  }

  /// Computes one-hot vectors. A one-hot vector has one value at the position of its index, and another value at all
  /// other positions. Negative indices count from the end.
  fileprivate func oneHot() throws -> ONNXTensor {
    let (indices, depth, values) = (try tensor(0), try tensor(1), try tensor(2))
    let size: Graph.ValueID = try reshaped(real(depth), to: [])
    let positions: Graph.ValueID = try real(indices)
    let isNegative = try join(.isLess, positions, number: 0)
    let shift = try join(.multiply, isNegative, size)
    let named = try join(.add, positions, shift)
    let axis: Int = int("axis", or: -1)
    let rank: Int = try rank(indices)
    let known: Int? = try constant(depth)?.reals.first.map(Self.integer)
    let marks: Graph.ValueID
    if let known {
      marks = try add(OneHotOperator(vectorSize: known, axis: axis), named)
    } else {
      marks = try add(OneHotOperator(vectorSize: nil, axis: axis), named, size)
      if builder.extents(of: marks) == nil {
        builder.state([Extent](repeating: Extent(from: 0), count: rank + 1), .float32, of: marks)
      }
    }
    let bounds: Graph.ValueID = values.id
    let (off, on) = (
      try sliced(bounds, axis: 0, rank: 1, from: 0, to: 1),
      try sliced(bounds, axis: 0, rank: 1, from: 1, to: 2)
    )
    return ONNXTensor(
      try add(WhereBroadcastableOperator(), marks, on, off), values.element)
  }

  /// Writes new elements into a cache. Each sample of the batch has its own start index.
  fileprivate func cache() throws -> ONNXTensor {
    let (past, update) = (try tensor(0), try tensor(1))
    let rank: Int = try rank(past)
    let axis: Int = try axis(int("axis", or: -2), rank: rank)
    guard axis > 0, try self.rank(update) == rank else {
      throw invalid(
        "the axis is \(axis), expected an axis after the batch, and cache and update of equal rank."
      )
    }
    let mode: String = string("mode", or: "linear")
    guard mode == "linear" || mode == "circular" else {
      throw invalid("the mode is '\(mode)', expected linear or circular.")
    }
    // The position of each new element along the axis: the start index of the sample plus the index of the new element.
    let steps = try self.positions(below: extent(of: update.id, axis: axis))
    var positions: Graph.ValueID = try along(axis, rank: rank, steps)
    if let starts = try optional(2) {
      positions = try join(.add, along(0, rank: rank, integer(starts)), positions)
    }
    if mode == "circular" {
      positions = try join(.modulo, positions, extent(of: past.id, axis: axis))
    }
    let all = try broadcast(positions, to: extents(of: update.id))
    if builder.extents(of: all) == nil {
      builder.state([Extent](repeating: Extent(from: 0), count: rank), .int32, of: all)
    }
    return ONNXTensor(
      try add(ScatterAlongAxisOperator(axis: axis, mode: .update), past.id, all, update.id),
      past.element)
  }
}
