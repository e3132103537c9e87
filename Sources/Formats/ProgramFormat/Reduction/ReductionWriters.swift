import Graph
import Operators

extension ReduceAxesOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.reduced(mode, axes.isEmpty ? nil : axes, keepsAxes: keepsAxes)]
  }
}

extension ReduceOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.reduced(mode, axes, keepsAxes: true)]
  }
}

extension ProgramNode {
  /// Reduces the first input over axes. If `axes` is nil, reduces over all axes.
  fileprivate func reduced(_ mode: ReductionMode, _ axes: [Int]?, keepsAxes: Bool) throws
    -> MILValue
  {
    var x: MILValue = try held(0)
    let resolved: [Int] = Set((axes ?? Array(0..<x.rank)).map { $0 < 0 ? $0 + x.rank : $0 })
      .sorted()
    var name = ""
    var isPosition = false
    switch mode {
    case .sum: name = "reduce_sum"
    case .mean: name = "reduce_mean"
    case .product: name = "reduce_prod"
    case .sumOfLogs(let epsilon):
      x = try unary("log", try real(0), ["epsilon": .real(tiny(epsilon))])
      name = "reduce_sum"
    case .sumOfSquares: name = "reduce_sum_square"
    case .l1: name = "reduce_l1_norm"
    case .l2: name = "reduce_l2_norm"
    case .maximum: name = "reduce_max"
    case .minimum: name = "reduce_min"
    case .indexOfMaximum: (name, isPosition) = ("reduce_argmax", true)
    case .indexOfMinimum: (name, isPosition) = ("reduce_argmin", true)
    case .logOfSum:
      x = try real(0)
      name = "reduce_log_sum"
    case .logOfSumOfExponentials:
      x = try real(0)
      name = "reduce_log_sum_exp"
    }
    var extents: [Int?] = []
    for (axis, extent) in x.extents.enumerated() {
      if !resolved.contains(axis) { extents.append(extent) } else if keepsAxes { extents.append(1) }
    }
    // If no axis is left, the graph's value still has one axis of one element.
    let keeps: Bool = keepsAxes || extents.isEmpty
    let kept: [Int?] = x.extents.enumerated().map { resolved.contains($0) ? 1 : $1 }
    var inputs: [String: MILOperand] = ["x": .value(x), "keep_dims": .bool(keeps)]
    if isPosition {
      guard resolved.count == 1 else {
        throw unsupported(
          "it returns indices over \(resolved.count) axes together, but programs allow only one.")
      }
      inputs["axis"] = .int(resolved[0])
    } else {
      inputs["axes"] = .ints(resolved)
    }
    let result = try add(
      name, inputs, keeps ? kept : extents, isPosition ? .int32 : x.element)
    return keepsAxes || !keeps || kept == [1] ? result : try reshape(result, [1])
  }
}

extension CumSumOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let axis: Int
    if node.inputCount > 1 {
      guard let stated = node.ints(1)?.first else {
        throw node.unsupported("the axis is computed, but programs need a constant.")
      }
      axis = stated
    } else {
      axis = self.axis
    }
    return [
      try node.unary(
        "cumsum", try node.held(0),
        ["axis": .int(axis), "exclusive": .bool(isExclusive), "reverse": .bool(isReversed)])
    ]
  }
}

extension ArgSortOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.held(0)
    return try node.only(
      "argsort",
      ["x": .value(x), "axis": .int(axis), "ascending": .bool(!isDescending)], .int32)
  }
}

extension TopKOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var count: Int = count
    if node.inputCount > 1 {
      guard let stated = node.ints(1)?.first else {
        throw node.unsupported("the number of values is computed, but programs need a constant.")
      }
      count = stated
    }
    let x: MILValue = try node.held(0)
    var extents: [Int?] = x.extents
    extents[try node.axis(axis)] = count
    let made = try node.add(
      "topk",
      [
        "x": .value(x), "k": .int(count), "axis": .int(axis), "ascending": .bool(isBottom),
      ], [(x.element, extents), (.int32, extents)])
    return Array(made.prefix(node.node.outputs.count))
  }
}
