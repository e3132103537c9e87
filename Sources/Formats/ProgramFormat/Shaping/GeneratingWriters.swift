import Graph
import Operators

extension FillStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.only("fill", ["shape": .ints(targetShape), "value": .real(value)])
  }
}

extension FillDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.filled(value, try node.whole(0))]
  }
}

extension FillLikeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.filled(value, try node.shape(of: try node.block.value(of: node.node.inputs[0])))]
  }
}

extension ProgramNode {
  /// A value everywhere in a computed shape.
  fileprivate func filled(_ value: Float, _ shape: MILValue) throws -> MILValue {
    guard
      let extents = knownExtents()
        ?? (shape.extents.first ?? nil).map({ Array(repeating: nil, count: $0) })
    else { throw unsupported("the rank of its output is not known before the network runs.") }
    return try add("fill", ["shape": .value(shape), "value": .real(value)], extents)
  }

  /// A value repeated along axes of one element, to a computed shape: zeros of that shape are added to numbers.
  fileprivate func stretched(_ x: MILValue, to shape: MILValue) throws -> MILValue {
    guard
      let extents = knownExtents()
        ?? (shape.extents.first ?? nil).map({ Array(repeating: nil, count: $0) })
    else { throw unsupported("the rank of its output is not known before the network runs.") }
    if extents == x.extents, !extents.contains(nil) { return x }
    let zeros = try block.add(
      "fill",
      [
        "shape": .value(shape),
        "value": .value(try number(0, x.element)),
      ], x.element, extents, name: node.name, real: real)
    // An addition would lose the sign of −0, and what is no number stays such in either.
    let isStretched = try binary("equal", zeros, zeros, .bool)
    return try add(
      "select", ["cond": .value(isStretched), "a": .value(x), "b": .value(zeros)], extents,
      x.element)
  }
}

extension BroadcastToStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.moved()
    if x.element == .bool { x = try node.held(0) }
    let made: [Int?] = try node.made()
    if x.rank < made.count { x = try node.expand(x, Array(0..<made.count - x.rank)) }
    let counts: [Int]? = zip(x.extents, made).reduce(into: [Int]?([])) { counts, pair in
      switch pair {
      case (let a?, let b?): counts?.append(a == b ? 1 : b)
      default: counts = nil
      }
    }
    guard let counts else {
      throw node.unsupported("the extents of its input are not known before the network runs.")
    }
    if Set(counts) == [1] { return [x] }
    return try node.only("tile", ["x": .value(x), "reps": .ints(counts)], x.element)
  }
}

extension BroadcastToLikeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let like: MILValue = try node.block.value(of: node.node.inputs[1])
    return [try node.stretched(try node.held(0), to: try node.shape(of: like))]
  }
}

extension BroadcastToDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.stretched(try node.held(0), to: try node.whole(1))]
  }
}

extension RangeStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let numbers: ReferenceTensor = try reference([])[0]
    return [try node.block.real(Constant(numbers), as: node.real)]
  }
}

extension RangeDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let isWhole: Bool = (0..<node.inputCount).allSatisfy { node.isWhole($0) }
    func scalar(_ input: Int, _ standard: Float) throws -> MILValue {
      guard input < node.inputCount else {
        return try node.number(standard, isWhole ? .int32 : .float32)
      }
      let value: MILValue = try node.block.cast(
        isWhole ? try node.whole(input) : try node.block.value(of: node.node.inputs[input]),
        to: isWhole ? .int32 : .float32)
      return try node.scalar(value)
    }
    let made: [Int?] = node.knownExtents() ?? [nil]
    return [
      try node.add(
        "range_1d",
        [
          "end": .value(try scalar(0, 0)), "start": .value(try scalar(1, start)),
          "step": .value(try scalar(2, step)),
        ], made, isWhole ? .int32 : .float32)
    ]
  }
}

extension ProgramNode {
  /// The first of some values, without any axis.
  func scalar(_ value: MILValue) throws -> MILValue {
    var value: MILValue = value
    if value.extents.contains(where: { $0 != 1 }) {
      value = try slice(value, value.extents.map { _ in (0, 1) })
    }
    return value.rank == 0 ? value : try squeeze(value, Array(0..<value.rank))
  }
}

extension OneHotOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let indices: MILValue = try node.whole(0)
    guard let size = vectorSize ?? node.ints(1)?.first else {
      throw node.unsupported("the length of its vectors is computed; programs state it.")
    }
    let inputs: [String: MILOperand] = [
      "indices": .value(indices), "one_hot_vector_size": .int(size), "axis": .int(axis),
      "on_value": .real(onValue), "off_value": .real(offValue),
    ]
    return try node.only("one_hot", inputs)
  }
}
