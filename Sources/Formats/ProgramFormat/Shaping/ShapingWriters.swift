import Graph
import Operators

extension ReshapeStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    guard try !node.made().contains(0) else {
      throw node.unsupported("its output has no elements; a 0 among sizes means another thing.")
    }
    var sizes: [Int] = targetShape
    for (place, size) in sizes.enumerated() where size == 0 {
      let source: Int = zerosCountFromEnd ? place - sizes.count + x.rank : place
      guard let extent = x.extents.indices.contains(source) ? x.extents[source] : 1 else {
        if !zerosCountFromEnd, x.rank == sizes.count { continue }
        return [try node.reshaped(x, to: try node.sizes(targetShape, of: x, zerosCountFromEnd))]
      }
      sizes[place] = extent
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
      let stated: [Int] = zip(sizes, known).map { $0 == 0 ? $1 ?? 0 : $0 }
      return [try node.reshape(x, stated, known)]
    }
    if zerosCountFromEnd { try node.block.output.require(.iOS17) }
    return [try node.reshaped(x, to: try node.whole(1))]
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
  /// Sizes as a vector, with the extents of a value in the places of zeros.
  fileprivate func sizes(_ target: [Int], of x: MILValue, _ zerosCountFromEnd: Bool) throws
    -> MILValue
  {
    let extents: MILValue = try shape(of: x)
    let parts: [MILValue] = try target.enumerated().map { place, size in
      let source: Int = zerosCountFromEnd ? place - target.count + x.rank : place
      guard size == 0, (0..<x.rank).contains(source) else {
        return try block.numbers(
          ReferenceTensor([1], wholes: [Int64(size == 0 ? 1 : size)], .int32), .int32)
      }
      return try slice(extents, [(source, source + 1)])
    }
    return try joined(parts, axis: 0)
  }

  /// Under a computed shape.
  fileprivate func reshaped(_ x: MILValue, to shape: MILValue) throws -> MILValue {
    let extents: [Int?]? =
      knownExtents() ?? (shape.extents.first ?? nil).map { Array(repeating: nil, count: $0) }
    guard let extents else {
      throw unsupported("the rank of its output is not known before the network runs.")
    }
    return try add("reshape", ["x": .value(x), "shape": .value(shape)], extents, x.element)
  }

  /// The only output under extents that are known but for one; else under a computed shape.
  fileprivate func viewed(_ x: MILValue) throws -> [MILValue] {
    let made: [Int?] = try made()
    guard made.count(where: { $0 == nil }) <= 1 else {
      throw unsupported("several of its output's extents are free.")
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
    let places: [Int] =
      axes.map { $0.map { $0 < 0 ? $0 + x.rank : $0 }.sorted() }
      ?? x.extents.indices.filter { x.extents[$0] == 1 }
    // A tensor of which no axis is left keeps one.
    if places.count == x.rank { return [try node.reshape(x, [1])] }
    return [try node.squeeze(x, places)]
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
      throw node.unsupported("several of its output's extents are free.")
    }
    let shaped = try node.reshape(turned, flat.map { $0 ?? -1 }, flat)
    return [
      try node.transpose(shaped, Array(0..<count - 3) + [count - 1, count - 3, count - 2])
    ]
  }

  /// The sequence takes part and the batch does not.
  private func withSequence(_ x: MILValue, _ made: [Int?], _ node: ProgramNode) throws -> MILValue {
    let turned = try node.transpose(x, [1, 0, 2, 3, 4])
    let flat: [Int?] = [made[1], made[0]] + made.dropFirst(2)
    guard flat.count(where: { $0 == nil }) <= 1 else {
      throw node.unsupported("several of its output's extents are free.")
    }
    return try node.transpose(
      try node.reshape(turned, flat.map { $0 ?? -1 }, flat), [1, 0, 2, 3, 4])
  }
}

extension PermuteOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    // Of [S, B, C, H, W] the batch stays; fewer dimensions have no sequence.
    if x.rank == 5 {
      let places: [Int] = axes.map { $0 == 0 ? 0 : $0 + 1 }
      return [try node.transpose(x, [places[0], 1] + places.dropFirst())]
    }
    let first: Int = x.rank - 3
    return [
      try node.transpose(x, Array(0..<first) + axes.dropFirst().map { $0 - 1 + first })
    ]
  }
}

extension TransposeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let extra: Int = x.rank - axes.count
    let places: [Int] = axes.map { $0 < 0 ? $0 + axes.count : $0 }
    return [try node.transpose(x, Array(0..<extra) + places.map { $0 + extra })]
  }
}

extension ProgramNode {
  /// Inputs joined along an axis.
  func joined(_ values: [MILValue], axis: Int, interleaved: Bool = false) throws -> MILValue {
    let place: Int = axis < 0 ? axis + values[0].rank : axis
    var extents: [Int?] = values[0].extents
    for index in extents.indices {
      let sizes: [Int?] = values.map { $0.extents[index] }
      if index == place {
        extents[index] = sizes.contains(nil) ? nil : sizes.compactMap { $0 }.reduce(0, +)
      } else {
        extents[index] = sizes.compactMap { $0 }.first
      }
    }
    return try add(
      "concat",
      ["values": .values(values), "axis": .int(place), "interleave": .bool(interleaved)], extents,
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
      let counts: MILValue = try node.whole(1)
      guard counts.extents == [x.rank] else {
        throw node.unsupported("it makes new axes, and how often they are repeated is computed.")
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
