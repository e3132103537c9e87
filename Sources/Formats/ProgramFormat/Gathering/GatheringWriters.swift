import Graph
import Operators

extension ProgramNode {
  /// Gathers the slices of `x` at a list of indices along an axis.
  func gathered(_ x: MILValue, _ indices: MILValue, axis: Int, _ extents: [Int?]) throws -> MILValue
  {
    var inputs: [String: MILOperand] = [
      "x": .value(x), "indices": .value(indices), "axis": .int(axis),
    ]
    if opset >= .iOS17 { inputs["validate_indices"] = .bool(false) }
    return try add("gather", inputs, extents, x.element)
  }

  /// Returns the operand that states whether the operation checks its indices. Empty before iOS 17, where operations
  /// have no such operand.
  fileprivate func checks(_ rule: IndexRule) throws -> [String: MILOperand] {
    if !rule.isChecked { try block.output.require(.iOS17) }
    return opset >= .iOS17
      ? ["validate_indices": .bool(rule.isChecked && !rule.countsFromEnd)] : [:]
  }
}

extension GatherOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var inputs: [String: MILOperand] = [
      "x": .value(try node.moved()), "indices": .value(try node.integer(1)), "axis": .int(axis),
    ]
    if batchAxes > 0 {
      try node.block.output.require(.iOS16)
      inputs["batch_dims"] = .int(batchAxes)
    }
    inputs.merge(try node.checks(rule)) { $1 }
    return try node.only("gather", inputs, try node.moved().element)
  }
}

extension GatherAlongAxisOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    let checks: [String: MILOperand] = try node.checks(rule)
    return try node.only(
      "gather_along_axis",
      ["x": .value(x), "indices": .value(try node.integer(1)), "axis": .int(axis)]
        .merging(checks) { $1 }, x.element)
  }
}

extension GatherNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    var inputs: [String: MILOperand] = ["x": .value(x), "indices": .value(try node.integer(1))]
    if batchAxes > 0 {
      try node.block.output.require(.iOS16)
      inputs["batch_dims"] = .int(batchAxes)
    }
    inputs.merge(try node.checks(rule)) { $1 }
    let indices: [Int?] = try node.extents(1)
    // If the result is a scalar, the graph's value still has one axis of one element.
    let isScalar: Bool = indices.count == 1 && indices[0] == x.rank && batchAxes == 0
    let made = try node.add("gather_nd", inputs, isScalar ? [] : try node.made(), x.element)
    return [isScalar ? try node.expand(made, [0]) : made]
  }
}

extension ScatterMode {
  fileprivate var name: String {
    switch self {
    case .update: "update"
    case .add: "add"
    case .subtract: "sub"
    case .multiply: "mul"
    case .divide: "div"
    case .maximum: "max"
    case .minimum: "min"
    }
  }
}

extension ProgramNode {
  fileprivate func scattered(
    _ name: String, _ mode: ScatterMode, _ rule: IndexRule, axis: Int? = nil
  ) throws -> [MILValue] {
    let isInteger: Bool = isInteger(0) && isInteger(2)
    let data: MILValue = isInteger ? try integer(0) : try real(0)
    var inputs: [String: MILOperand] = [
      "data": .value(data), "indices": .value(try integer(1)),
      "updates": .value(isInteger ? try integer(2) : try real(2)), "mode": .string(mode.name),
    ]
    if let axis { inputs["axis"] = .int(axis) }
    guard opset < .iOS17 || !rule.countsFromEnd || !rule.isChecked else {
      throw unsupported("in the operations of iOS 17 its indices do not count from the end.")
    }
    inputs.merge(try checks(rule)) { $1 }
    return [try add(name, inputs, data.extents, data.element)]
  }
}

extension ScatterOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.scattered("scatter", mode, rule, axis: axis)
  }
}

extension ScatterAlongAxisOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.scattered("scatter_along_axis", mode, rule, axis: axis)
  }
}

extension ScatterNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.scattered("scatter_nd", mode, rule)
  }
}

extension WhereBroadcastableOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let isInteger: Bool = node.isInteger(1) && node.isInteger(2)
    let a: MILValue = isInteger ? try node.integer(1) : try node.real(1)
    let b: MILValue = isInteger ? try node.integer(2) : try node.real(2)
    return try node.only(
      "select", ["cond": .value(try node.truth(0)), "a": .value(a), "b": .value(b)], a.element)
  }
}

extension WhereNonZeroOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.held(0)
    return [try node.add("non_zero", ["x": .value(x)], [nil, x.rank], .int32)]
  }
}

extension ListWriteOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    guard !grows else {
      throw node.unsupported("its list has no fixed length; write lists of a known length.")
    }
    let values: [MILValue] = [try node.held(0), try node.held(2)]
    let index: MILValue = try node.integer(1)
    let isOne: Bool = index.rank == 0 || values[1].rank < values[0].rank
    var inputs: [String: MILOperand] = [
      "data": .value(values[0]), "axis": .int(0), "mode": .string("update"),
      "indices": .value(isOne ? try node.reshape(index, [1]) : index),
      "updates": .value(isOne ? try node.expand(values[1], [0]) : values[1]),
    ]
    if node.opset >= .iOS17 { inputs["validate_indices"] = .bool(false) }
    return [try node.add("scatter", inputs, values[0].extents, values[0].element)]
  }
}

extension NonMaximumSuppressionOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    func constantNumber(_ input: Int, _ parameter: Float, _ name: String) throws -> Float {
      guard input < node.inputCount else { return parameter }
      guard let value = try node.constant(input)?.floats().first else {
        throw node.unsupported("the \(name) is computed, but programs need a constant.")
      }
      return value
    }
    let overlap: Float = try constantNumber(2, overlapThreshold, "threshold of overlap")
    let score: Float = try constantNumber(3, scoreThreshold, "threshold of scores")
    let count = try constantNumber(4, Float(maximumBoxes ?? 0), "number of boxes")
    guard node.opset < .iOS17 else {
      throw node.unsupported("in the operations of iOS 17 it has other outputs.")
    }
    return try node.add(
      "non_maximum_suppression",
      [
        "boxes": .value(try node.real(0)), "scores": .value(try node.real(1)),
        "iou_threshold": .real(overlap), "score_threshold": .real(score),
        "max_boxes": .int(Int(bounding: count)), "per_class_suppression": .bool(isPerClass),
      ],
      [
        (node.real, try node.made(0)), (node.real, try node.made(1)), (.int32, try node.made(2)),
        (.int32, try node.made(3)),
      ])
  }
}
