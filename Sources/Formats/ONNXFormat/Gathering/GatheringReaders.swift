import Graph
import Operators

/// Elements and slices at places that indices name.
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
    NodeReader("TensorScatter", as: [ScatterNDOperator.self], .exact) { [try $0.cache()] },
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
  /// The axes on which a tensor is longer than indices name elements of, the one along which they do aside.
  private func longerAxes(_ x: ONNXTensor, than indices: ONNXTensor, but axis: Int) throws
    -> [(axis: Int, count: Int)]
  {
    let (own, named) = (try extents(x), try extents(indices))
    guard own.count == named.count else {
      throw invalid("the indices have \(named.count) axes, expected \(own.count) as the input.")
    }
    return try own.indices.compactMap { place in
      guard place != axis, let size = own[place], let count = named[place], size != count else {
        return nil
      }
      guard count < size else {
        throw invalid(
          "the indices have \(count) elements on axis \(place), expected at most the input's \(size)."
        )
      }
      return (place, count)
    }
  }

  /// The leading part of a tensor that indices name elements of: on all axes but one as long as they are.
  fileprivate func leading(_ x: ONNXTensor, as indices: ONNXTensor, but axis: Int) throws
    -> Graph.ValueID
  {
    try longerAxes(x, than: indices, but: axis).reduce(x.id) { part, longer in
      try sliced(part, axis: longer.axis, rank: try rank(x), from: 0, to: longer.count)
    }
  }

  /// Elements written to places that indices name. Where there are fewer indices than elements on another axis, the
  /// rest of that axis stays: it follows the part that was written to.
  fileprivate func scattered(_ mode: ScatterMode) throws -> Graph.ValueID {
    let (x, indices, updates) = (try tensor(0), try tensor(1), try tensor(2))
    let rank: Int = try rank(x)
    let axis: Int = try axis(int("axis", or: 0), rank: rank)
    var parts: [Graph.ValueID] = [x.id]
    let longer = try longerAxes(x, than: indices, but: axis)
    for (place, count) in longer {
      parts.append(try sliced(parts[parts.count - 1], axis: place, rank: rank, from: 0, to: count))
    }
    var writing = ScatterAlongAxisOperator(axis: axis, mode: mode)
    writing.overflow = x.element.overflowFromONNX
    var made: Graph.ValueID = try add(
      writing, parts[parts.count - 1], indices.id,
      updates.id)
    for (step, (place, count)) in longer.enumerated().reversed() {
      let rest = try sliced(parts[step], axis: place, rank: rank, from: count, to: nil)
      made = try add(ConcatNDOperator(axis: place), made, rest)
    }
    return made
  }

  /// One value at the place that an index names, another elsewhere; indices may count from the end.
  fileprivate func oneHot() throws -> ONNXTensor {
    let (indices, depth, values) = (try tensor(0), try tensor(1), try tensor(2))
    let size: Graph.ValueID = try reshaped(real(depth), to: [])
    let places: Graph.ValueID = try real(indices)
    let isNegative = try join(.isLess, places, number: 0)
    let shift = try join(.multiply, isNegative, size)
    let named = try join(.add, places, shift)
    let axis: Int = int("axis", or: -1)
    let rank: Int = try rank(indices)
    let known: Int? = try constant(depth)?.reals.first.map(Self.whole)
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

  /// A cache with newer elements from an index on for each sample of the batch.
  fileprivate func cache() throws -> ONNXTensor {
    let (past, update) = (try tensor(0), try tensor(1))
    let (shape, updates) = (try shape(past, "the cache"), try shape(update, "the update"))
    let rank: Int = shape.count
    let axis: Int = try axis(int("axis", or: -2), rank: rank)
    guard axis > 0, updates.count == rank else {
      throw invalid("the axis is \(axis), expected one after the batch, and as many axes in both.")
    }
    let mode: String = string("mode", or: "linear")
    guard mode == "linear" || mode == "circular" else {
      throw invalid("the mode is '\(mode)', expected linear or circular.")
    }
    // Where each new element goes along the axis: the batch's first place and its own.
    let (batch, length, size) = (shape[0], updates[axis], shape[axis])
    var ofBatch = [Int](repeating: 1, count: rank)
    (ofBatch[0], ofBatch[axis]) = (batch, 1)
    var own = [Int](repeating: 1, count: rank)
    own[axis] = length
    _ = try Shape.computed([length], "the indices of the update")
    let steps = constant(
      ReferenceTensor(Shape(own), wholes: (0..<Int64(length)).map { $0 }, .int32))
    var places: Graph.ValueID = steps
    if let starts = try optional(2) {
      places = try join(.add, reshaped(whole(starts), to: ofBatch), steps)
    }
    if mode == "circular" {
      places = try join(
        .modulo, places, constant(ReferenceTensor([], wholes: [Int64(size)], .int32)))
    }
    let all = try add(BroadcastToStaticOperator(targetShape: updates), places)
    return ONNXTensor(
      try add(ScatterAlongAxisOperator(axis: axis, mode: .update), past.id, all, update.id),
      past.element)
  }
}
