import Graph
import Operators

extension ReshapeStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    guard try !node.made().contains(0) else {
      throw node.unsupported(
        "its output has no elements, but a size of 0 has another meaning in programs.")
    }
    var sizes: [Int] = targetShape
    for (position, size) in sizes.enumerated() where size == 0 {
      let source: Int = zerosCountFromEnd ? position - sizes.count + x.rank : position
      guard let extent = x.extents.indices.contains(source) ? x.extents[source] : 1 else {
        if !zerosCountFromEnd, x.rank == sizes.count { continue }
        return [try node.reshaped(x, to: try node.sizes(targetShape, of: x, zerosCountFromEnd))]
      }
      sizes[position] = extent
    }
    return [try node.reshape(x, sizes, try node.made())]
  }
}

extension RankPreservingReshapeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.reshape(try node.moved(), targetShape, try node.made())]
  }
}

extension ReshapeDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    if let sizes = node.ints(1) {
      let known: [Int?] = try node.made()
      let filled: [Int] = zip(sizes, known).map { $0 == 0 ? $1 ?? 0 : $0 }
      return [try node.reshape(x, filled, known)]
    }
    if zerosCountFromEnd { try node.block.output.require(.iOS17) }
    return [try node.reshaped(x, to: try node.integer(1))]
  }
}

extension ReshapeLikeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let made: [Int?] = try node.made()
    if made.count(where: { $0 == nil }) <= 1 {
      return [try node.reshape(x, made.map { $0 ?? -1 }, made)]
    }
    let like: MILValue = try node.block.value(of: node.node.inputs[1])
    return [try node.reshaped(x, to: try node.shape(of: like))]
  }
}

extension ProgramNode {
  /// Returns sizes as a vector. A size of 0 becomes the extent of the axis of `x` with the same index, or with the same
  /// distance from the end if `zerosCountFromEnd` is true. If `x` has no such axis, the size becomes 1.
  fileprivate func sizes(_ target: [Int], of x: MILValue, _ zerosCountFromEnd: Bool) throws
    -> MILValue
  {
    let extents: MILValue = try shape(of: x)
    let parts: [MILValue] = try target.enumerated().map { position, size in
      let source: Int = zerosCountFromEnd ? position - target.count + x.rank : position
      guard size == 0, (0..<x.rank).contains(source) else {
        return try block.numbers(
          ReferenceTensor([1], integerValues: [Int64(size == 0 ? 1 : size)], .int32), .int32)
      }
      return try slice(extents, [(source, source + 1)])
    }
    return try joined(parts, axis: 0)
  }

  /// Reshapes a value to a shape that is computed at run time.
  fileprivate func reshaped(_ x: MILValue, to shape: MILValue) throws -> MILValue {
    try add(
      "reshape", ["x": .value(x), "shape": .value(shape)], try extents(under: shape), x.element)
  }

  /// Reshapes a value to the extents of the node's only output. Throws if more than one of these extents is flexible.
  fileprivate func viewed(_ x: MILValue) throws -> [MILValue] {
    let made: [Int?] = try made()
    guard made.count(where: { $0 == nil }) <= 1 else {
      throw unsupported("several of its output's extents are flexible.")
    }
    return [try reshape(x, made.map { $0 ?? -1 }, made)]
  }
}

extension FlattenTo2DOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    if try node.axis(axis) == x.rank { return try node.viewed(x) }
    return try node.only("flatten2d", ["x": .value(x), "axis": .int(axis)], x.element)
  }
}

extension ExpandDimsOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.moved()
    if isOfScalar, x.extents == [1] { x = try node.squeeze(x, [0]) }
    let rank: Int = x.rank + axes.count
    return [try node.expand(x, axes.map { $0 < 0 ? $0 + rank : $0 }.sorted())]
  }
}

extension SqueezeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let resolved: [Int] =
      axes.map { $0.map { $0 < 0 ? $0 + x.rank : $0 }.sorted() }
      ?? x.extents.indices.filter { x.extents[$0] == 1 }
    // If no axis is left, the graph's value still has one axis of one element.
    if resolved.count == x.rank { return [try node.reshape(x, [1])] }
    return [try node.squeeze(x, resolved)]
  }
}

extension FlattenOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.moved()
    if order == .channelLast {
      let rank: Int = x.rank
      x = try node.transpose(x, Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3])
    }
    return try node.viewed(x)
  }
}

extension ReshapeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let made: [Int?] = try node.made()
    guard order == .channelLast else {
      if targetShape.count == 4, x.rank == 5, x.extents[1] != 1, x.extents[0] != made[0] {
        return [try withSequence(x, made, node)]
      }
      return try node.viewed(x)
    }
    guard targetShape.count == 3 || x.rank < 5 || x.extents[1] == 1 else {
      throw node.unsupported("it mixes a sequence with a batch, pixel by pixel.")
    }
    let rank: Int = x.rank
    let turned = try node.transpose(x, Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3])
    let count: Int = made.count
    let flat: [Int?] = made.dropLast(3) + [made[count - 2], made[count - 1], made[count - 3]]
    guard flat.count(where: { $0 == nil }) <= 1 else {
      throw node.unsupported("several of its output's extents are flexible.")
    }
    let shaped = try node.reshape(turned, flat.map { $0 ?? -1 }, flat)
    return [
      try node.transpose(shaped, Array(0..<count - 3) + [count - 1, count - 3, count - 2])
    ]
  }

  /// Reshapes a tensor `[S, B, C, H, W]`. Its sequence axis S changes, too. Its batch axis B stays.
  private func withSequence(_ x: MILValue, _ made: [Int?], _ node: ProgramNode) throws -> MILValue {
    let turned = try node.transpose(x, [1, 0, 2, 3, 4])
    let flat: [Int?] = [made[1], made[0]] + made.dropFirst(2)
    guard flat.count(where: { $0 == nil }) <= 1 else {
      throw node.unsupported("several of its output's extents are flexible.")
    }
    return try node.transpose(
      try node.reshape(turned, flat.map { $0 ?? -1 }, flat), [1, 0, 2, 3, 4])
  }
}

extension PermuteOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    // The axes are [S, B, C, H, W]. The batch axis B stays. Tensors with fewer dimensions have no sequence axis S.
    if x.rank == 5 {
      let resolved: [Int] = axes.map { $0 == 0 ? 0 : $0 + 1 }
      return [try node.transpose(x, [resolved[0], 1] + resolved.dropFirst())]
    }
    let first: Int = x.rank - 3
    return [
      try node.transpose(x, Array(0..<max(0, first)) + axes.dropFirst().map { $0 - 1 + first })
    ]
  }
}

extension TransposeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let extra: Int = x.rank - axes.count
    let resolved: [Int] = axes.map { $0 < 0 ? $0 + axes.count : $0 }
    return [try node.transpose(x, Array(0..<max(0, extra)) + resolved.map { $0 + extra })]
  }
}

extension ProgramNode {
  /// Concatenates values along an axis.
  func joined(_ values: [MILValue], axis: Int, interleaved: Bool = false) throws -> MILValue {
    let ranks: [Int] = values.map(\.rank)
    let position: Int = axis < 0 ? axis + (ranks.first ?? 0) : axis
    guard let rank = ranks.first, Set(ranks).count == 1, (0..<rank).contains(position) else {
      throw unsupported(
        "it joins inputs of \(ranks.map(String.init).joined(separator: ", ")) axes along axis \(axis), expected inputs of equal rank and one of their axes."
      )
    }
    var extents: [Int?] = values[0].extents
    for index in extents.indices {
      let sizes: [Int?] = values.map { $0.extents[index] }
      if index == position {
        extents[index] = sizes.contains(nil) ? nil : sizes.compactMap { $0 }.reduce(0, +)
      } else {
        extents[index] = sizes.compactMap { $0 }.first
      }
    }
    return try add(
      "concat",
      ["values": .values(values), "axis": .int(position), "interleave": .bool(interleaved)],
      extents,
      values[0].element)
  }
}

extension ConcatNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let values: [MILValue] = try node.moved(0..<node.inputCount)
    return [try node.joined(values, axis: axis, interleaved: isInterleaved)]
  }
}

extension ConcatOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.joined(try node.moved(0..<node.inputCount), axis: joinsSequence ? -5 : -3)]
  }
}

extension StackOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let values: [MILValue] = try node.moved(0..<node.inputCount)
    return try node.only(
      "stack", ["values": .values(values), "axis": .int(axis)], values[0].element)
  }
}

extension SplitNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let made: [[Int?]] = try node.node.outputs.indices.map { try node.made($0) }
    let sizes: [Int] = made.compactMap { $0[axis < 0 ? axis + x.rank : axis] }
    guard sizes.count == made.count else {
      throw node.unsupported("the sizes of its parts are not known before the network runs.")
    }
    return try node.add(
      "split", ["x": .value(x), "axis": .int(axis), "split_sizes": .ints(sizes)],
      made.map { (x.element, $0) })
  }
}

extension SplitOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    return try node.add(
      "split", ["x": .value(x), "axis": .int(x.rank - 3), "num_splits": .int(outputCount)],
      try node.node.outputs.indices.map { (x.element, try node.made($0)) })
  }
}

extension TileOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.moved()
    guard var counts = repetitions ?? node.ints(1) else {
      let counts: MILValue = try node.integer(1)
      guard counts.extents == [x.rank] else {
        throw node.unsupported("it adds axes, and their numbers of repetitions are computed.")
      }
      return try node.only("tile", ["x": .value(x), "reps": .value(counts)], x.element)
    }
    if counts.count < x.rank { counts = Array(repeating: 1, count: x.rank - counts.count) + counts }
    if counts.count > x.rank { x = try node.expand(x, Array(0..<counts.count - x.rank)) }
    return try node.only("tile", ["x": .value(x), "reps": .ints(counts)], x.element)
  }
}

extension SequenceRepeatOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    var counts = [Int](repeating: 1, count: x.rank)
    counts[x.rank - 5] = max(1, repetitions)
    return try node.only("tile", ["x": .value(x), "reps": .ints(counts)], x.element)
  }
}

extension GetShapeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.shape(of: try node.block.value(of: node.node.inputs[0]))]
  }
}
