import Graph
import Operators

extension SliceStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let isScalar: Bool = slices.allSatisfy(\.isSqueezed)
    let made: [Int?] = isScalar ? [] : try node.made()
    let result = try node.add(
      "slice_by_index",
      [
        "x": .value(x), "begin": .ints(slices.map { $0.begin ?? 0 }),
        "end": .ints(slices.map { $0.end ?? 0 }), "stride": .ints(slices.map(\.stride)),
        "begin_mask": .bools(slices.map { $0.begin == nil }),
        "end_mask": .bools(slices.map { $0.end == nil }),
        "squeeze_mask": .bools(slices.map(\.isSqueezed)),
      ], made, x.element)
    // If no axis is left, the graph's value still has one axis of one element.
    return [isScalar ? try node.expand(result, [0]) : result]
  }
}

extension SliceDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let bounds = try operands(node, first: 1, rank: x.rank)
    let isScalar: Bool = bounds.isSqueezed.allSatisfy { $0 }
    let extents: [Int?] =
      node.knownExtents()
      ?? Array(repeating: nil, count: bounds.isSqueezed.count { !$0 })
    let result = try node.add(
      "slice_by_index", bounds.inputs.merging(["x": .value(x)]) { $1 }, isScalar ? [] : extents,
      x.element)
    return [isScalar ? try node.expand(result, [0]) : result]
  }

  /// Returns the bounds as operands. The begins and ends may be computed at run time.
  func operands(_ node: ProgramNode, first: Int, rank: Int) throws -> (
    inputs: [String: MILOperand], isSqueezed: [Bool]
  ) {
    func constants(_ input: Int, _ parameter: [Int], _ standard: Int, _ name: String) throws
      -> [Int]
    {
      var numbers: [Int] = parameter
      if first + input < node.inputCount {
        guard let known = node.ints(first + input) else {
          throw node.unsupported("the \(name) are computed, but programs need constants.")
        }
        numbers = known
      }
      return Array(numbers.prefix(rank))
        + Array(repeating: standard, count: max(0, rank - numbers.count))
    }
    func flags(_ input: Int, _ parameter: [Bool], _ name: String) throws -> [Bool] {
      try constants(input, parameter.map { $0 ? 1 : 0 }, 0, name).map { $0 != 0 }
    }
    var inputs: [String: MILOperand] = [
      "begin_mask": .bools(try flags(3, beginMasks, "masks of begins")),
      "stride": .ints(try constants(2, strides, 1, "strides")),
    ]
    var isEndOpen: [Bool] = try flags(4, endMasks, "masks of ends")
    inputs["begin"] = .value(try bound(node, first, rank, 0))
    if first + 1 < node.inputCount {
      inputs["end"] = .value(try bound(node, first + 1, rank, 0))
    } else {
      inputs["end"] = .ints(
        Array(ends.prefix(rank)) + Array(repeating: 0, count: max(0, rank - ends.count)))
      for axis in isEndOpen.indices where axis >= ends.count { isEndOpen[axis] = true }
    }
    inputs["end_mask"] = .bools(isEndOpen)
    let isSqueezed: [Bool] = try flags(5, squeezeMasks, "squeezed axes")
    inputs["squeeze_mask"] = .bools(isSqueezed)
    return (inputs, isSqueezed)
  }

  private func bound(_ node: ProgramNode, _ input: Int, _ rank: Int, _ standard: Int) throws
    -> MILValue
  {
    let bound: MILValue = try node.integer(input)
    guard let count = bound.extents.first ?? nil, count != rank else { return bound }
    throw node.unsupported("it has \(count) bounds for \(rank) axes, expected one per axis.")
  }
}

extension SliceUpdateOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.block.output.require(.iOS18)
    let values: [MILValue] = try node.moved(0..<2)
    let bounds = try slice.operands(node, first: 2, rank: values[0].rank)
    return [
      try node.add(
        "slice_update",
        bounds.inputs.merging(["x": .value(values[0]), "update": .value(values[1])]) { $1 },
        values[0].extents, values[0].element)
    ]
  }
}

extension SliceBySizeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let dimension: Int = axis < 0 ? axis + x.rank : axis
    let index: MILValue = try node.reshape(try node.integer(1), [1])
    let zero: MILValue = try node.block.numbers(
      ReferenceTensor([1], integerValues: [0], .int32), .int32)
    let begins: MILValue =
      x.rank == 1
      ? index : try node.joined((0..<x.rank).map { $0 == dimension ? index : zero }, axis: 0)
    return try node.only(
      "slice_by_size",
      [
        "x": .value(x), "begin": .value(begins),
        "size": .ints((0..<x.rank).map { $0 == dimension ? size : x.extents[$0] ?? -1 }),
      ], x.element)
  }
}

extension SliceOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let dimension: Int = x.rank + axis.rawValue
    let others: [Bool] = (0..<x.rank).map { $0 != dimension }
    return try node.only(
      "slice_by_index",
      [
        "x": .value(x), "begin": .ints(others.map { $0 ? 0 : start }),
        "end": .ints(others.map { $0 ? 0 : end }), "stride": .ints(others.map { $0 ? 1 : stride }),
        "begin_mask": .bools(others), "end_mask": .bools(others),
      ], x.element)
  }
}

extension CropOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let front: Int = x.rank - 2
    guard let offset = referenceOffset else {
      var bounds: [(begin: Int?, end: Int?)] = Array(repeating: (nil, nil), count: x.rank)
      bounds[front] = (amounts.top, amounts.bottom == 0 ? nil : -amounts.bottom)
      bounds[front + 1] = (amounts.left, amounts.right == 0 ? nil : -amounts.right)
      return [try node.slice(x, bounds)]
    }
    let reference: [Int?] = Array(try node.extents(1).suffix(2))
    if let height = reference[0], let width = reference[1] {
      var bounds: [(begin: Int?, end: Int?)] = Array(repeating: (nil, nil), count: x.rank)
      bounds[front] = (offset.top, offset.top + height)
      bounds[front + 1] = (offset.left, offset.left + width)
      return [try node.slice(x, bounds)]
    }
    let like: MILValue = try node.block.value(of: node.node.inputs[1])
    let size = try node.slice(try node.shape(of: like), [(like.rank - 2, nil)])
    let start = try node.block.numbers(
      ReferenceTensor([2], integerValues: [Int64(offset.top), Int64(offset.left)], .int32), .int32)
    let ends: MILValue =
      offset.top == 0 && offset.left == 0 ? size : try node.binary("add", size, start)
    let zeros = try node.block.numbers(
      ReferenceTensor([front], integerValues: Array(repeating: 0, count: front), .int32), .int32)
    let open: [Bool] = (0..<x.rank).map { $0 < front }
    return try node.only(
      "slice_by_index",
      [
        "x": .value(x), "begin": .value(try node.joined([zeros, start], axis: 0)),
        "end": .value(try node.joined([zeros, ends], axis: 0)), "begin_mask": .bools(open),
        "end_mask": .bools(open),
      ], x.element)
  }
}

extension ReverseOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let axes: [Int] = isReversed.indices.filter { isReversed[$0] }
    if axes.isEmpty { return [x] }
    return try node.only("reverse", ["x": .value(x), "axes": .ints(axes)], x.element)
  }
}

extension ReverseSeqOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let lengths: MILValue = try node.integer(1)
    let known: [Int] = lengths.extents.compactMap { $0 }
    let count: Int? = known.count == lengths.rank ? known.product : nil
    return try node.only(
      "reverse_sequence",
      [
        "x": .value(x), "lengths": .value(try node.reshape(lengths, [-1], [count])),
        "seq_axis": .int(sequenceAxis), "batch_axis": .int(batchAxis),
      ], x.element)
  }
}

extension SlidingWindowsOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    return try node.only(
      "sliding_windows",
      ["x": .value(x), "axis": .int(axis), "size": .int(windowSize), "stride": .int(step)],
      x.element)
  }
}

extension ProgramNode {
  /// Copies a matrix. Elements outside a band around the diagonal become zero. The band has `lower` diagonals below the
  /// main diagonal and `upper` diagonals above it. A negative number means all diagonals on that side.
  fileprivate func banded(_ x: MILValue, lower: Int, upper: Int) throws -> MILValue {
    try unary("band_part", x, ["lower": .int(lower), "upper": .int(upper)])
  }
}

extension MatrixBandPartOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.banded(try node.held(0), lower: max(-1, lower), upper: max(-1, upper))]
  }
}

extension LowerTriangularOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.held(0)
    if diagonal >= 0 { return [try node.banded(x, lower: -1, upper: diagonal)] }
    // To keep the elements on and below a diagonal, the writer subtracts the band of the elements above it.
    return [try node.binary("sub", x, try node.banded(x, lower: -diagonal - 1, upper: -1))]
  }
}

extension UpperTriangularOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.held(0)
    if diagonal <= 0 { return [try node.banded(x, lower: -diagonal, upper: -1)] }
    return [try node.binary("sub", x, try node.banded(x, lower: -1, upper: diagonal - 1))]
  }
}

extension ConstantPadOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    var constants: [Int]? = amounts ?? node.ints(1)
    if padsToSize, let sizes = constants {
      constants = try Self.amounts(toSizes: sizes, x.extents, node)
    } else if padsToSize {
      throw node.unsupported("the sizes are computed, but programs need constant amounts.")
    }
    let value: MILValue = try node.number(value, x.element)
    guard let constants else {
      return try node.only(
        "pad",
        [
          "x": .value(x), "pad": .value(try node.integer(1)), "mode": .string("constant"),
          "constant_val": .value(value),
        ], x.element)
    }
    return try node.only(
      "pad",
      [
        "x": .value(x), "pad": .ints(constants), "mode": .string("constant"),
        "constant_val": .value(value),
      ], x.element)
  }

  private static func amounts(toSizes sizes: [Int], _ extents: [Int?], _ node: ProgramNode) throws
    -> [Int]
  {
    try extents.enumerated().flatMap { axis, extent -> [Int] in
      let (before, after) = (sizes[2 * axis], sizes[2 * axis + 1])
      guard before != 0 || after != 0 else { return [0, 0] }
      guard let extent else {
        throw node.unsupported("the extent of a padded axis is not known.")
      }
      return before != 0 ? [before - extent, 0] : [0, after - extent]
    }
  }
}
