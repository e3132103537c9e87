import Graph
import Operators

extension FillStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.only("fill", ["shape": .ints(targetShape), "value": .real(value)])
  }
}

extension FillDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.filled(value, try node.integer(0))]
  }
}

extension FillLikeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.filled(value, try node.shape(of: try node.block.value(of: node.node.inputs[0])))]
  }
}

extension ProgramNode {
  /// Makes a tensor whose elements all have one value. Its shape is computed at run time.
  fileprivate func filled(_ value: Float, _ shape: MILValue) throws -> MILValue {
    let extents: [Int?] = try extents(under: shape)
    return try add("fill", ["shape": .value(shape), "value": .real(value)], extents)
  }

  /// Broadcasts a value to a shape that is computed at run time. Axes of extent one become longer.
  fileprivate func stretched(_ x: MILValue, to shape: MILValue) throws -> MILValue {
    let extents: [Int?] = try extents(under: shape)
    if extents == x.extents, !extents.contains(nil) { return x }
    let zeros = try block.add(
      "fill",
      [
        "shape": .value(shape),
        "value": .value(try number(0, x.element)),
      ], x.element, extents, name: node.name, real: real)
    // Adding zeros would broadcast a value, too, but would turn −0 into 0. A selection keeps the sign of zero, and NaN.
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
    [try node.stretched(try node.held(0), to: try node.integer(1))]
  }
}

extension RangeStaticOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let range: ArithmeticRange = try range()
    _ = try Shape.computed(range.type.shape.dimensions, "the range")
    return [try node.block.real(Constant(range.values), as: node.real)]
  }
}

extension RangeDynamicOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let isInteger: Bool = (0..<node.inputCount).allSatisfy { node.isInteger($0) }
    func scalar(_ input: Int, _ standard: Float) throws -> MILValue {
      guard input < node.inputCount else {
        return try node.number(standard, isInteger ? .int32 : .float32)
      }
      let value: MILValue = try node.block.cast(
        isInteger ? try node.integer(input) : try node.block.value(of: node.node.inputs[input]),
        to: isInteger ? .int32 : .float32)
      return try node.scalar(value)
    }
    let made: [Int?] = node.knownExtents() ?? [nil]
    return [
      try node.add(
        "range_1d",
        [
          "end": .value(try scalar(0, 0)), "start": .value(try scalar(1, start)),
          "step": .value(try scalar(2, step)),
        ], made, isInteger ? .int32 : .float32)
    ]
  }
}

extension ProgramNode {
  /// Returns the first element of a value as a scalar.
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
    let indices: MILValue = try node.integer(0)
    guard let size = vectorSize ?? node.ints(1)?.first else {
      throw node.unsupported("the length of its vectors is computed, but programs need a constant.")
    }
    let inputs: [String: MILOperand] = [
      "indices": .value(indices), "one_hot_vector_size": .int(size), "axis": .int(axis),
      "on_value": .real(onValue), "off_value": .real(offValue),
    ]
    return try node.only("one_hot", inputs)
  }
}
