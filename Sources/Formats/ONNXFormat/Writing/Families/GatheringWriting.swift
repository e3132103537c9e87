import Graph
import Operators

/// Operators that gather or scatter. ONNX does not define the effect of an index that is out of range.
enum GatheringWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(GatherOperator.self) { operation, node in
      guard operation.batchAxes == 0 else {
        throw node.unsupported("indices and data have axes in common.")
      }
      try node.require(operation.rule)
      return node.emit(
        "Gather", [try node.input(), try node.integerValues(1)], .int("axis", operation.axis))
    },
    OperatorWriting(GatherAlongAxisOperator.self) { operation, node in
      try node.require(operation.rule)
      return node.emit(
        "GatherElements", [try node.input(), try node.integerValues(1)],
        .int("axis", operation.axis))
    },
    OperatorWriting(GatherNDOperator.self) { operation, node in
      try node.require(operation.rule)
      let made: String = node.emit(
        "GatherND", [try node.input(), try node.integerValues(1)],
        .int("batch_dims", operation.batchAxes))
      let isScalar: Bool = try node.rank(1) == 1 && node.extents(1)[0] == node.rank()
      return isScalar ? node.reshaped(made, to: [1]) : made
    },
    OperatorWriting(ScatterAlongAxisOperator.self) { operation, node in
      try node.require(operation.rule)
      return try node.scattered("ScatterElements", operation.mode, [.int("axis", operation.axis)])
    },
    OperatorWriting(ScatterOperator.self) { operation, node in
      try node.require(operation.rule)
      return try node.scatteredSlices(operation)
    },
    OperatorWriting(ScatterNDOperator.self) { operation, node in
      try node.require(operation.rule)
      return try node.scattered("ScatterND", operation.mode, [])
    },
    OperatorWriting(OneHotOperator.self) { operation, node in
      let depth: String =
        try operation.vectorSize.map { node.writer.ints([$0], []) }
        ?? node.reshaped(node.integerValues(1), to: [])
      // For the graph's operator, negative indices are out of range. In ONNX, negative indices count from the end.
      let indices: String = try node.integerValues(0)
      let isNegative: String = node.emit("Less", [indices, node.writer.ints([0], [])])
      let shifted: String = node.emit("Where", [isNegative, depth, indices])
      return node.emit(
        "OneHot",
        [shifted, depth, node.writer.floats([operation.offValue, operation.onValue])],
        .int("axis", operation.axis))
    },
    OperatorWriting(WhereNonZeroOperator.self) { _, node in
      let columns: String = node.emit("NonZero", [try node.input()])
      return node.cast(node.transposed(columns, [1, 0]), to: .float32)
    },
  ]
}

extension NodeContext {
  /// Throws if negative indices are out of range for the graph's operator. In ONNX, negative indices count from the
  /// end.
  fileprivate func require(_ rule: IndexRule) throws {
    guard rule.countsFromEnd else {
      throw unsupported(
        "its negative indices are out of range, but in ONNX they count from the end.")
    }
  }

  /// Scatters slices. ONNX scatters elements, so the writer expands each index to the indices of all elements of its
  /// slice.
  fileprivate func scatteredSlices(_ operation: ScatterOperator) throws -> String {
    let (rank, axes) = (try rank(), try rank(1))
    let axis: Int = axis(operation.axis, rank: rank)
    var updates: String = try input(2)
    var indices: String = try integerValues(1)
    if axes != 1 {
      // Joins all axes of the indices into one axis.
      let all: String = shape(of: updates)
      let total: Int = rank + axes - 1
      var parts: [String] = [ints([-1])]
      if axis > 0 { parts.insert(sliced(all, axis: 0, from: 0, to: axis), at: 0) }
      if axis + axes < total { parts.append(sliced(all, axis: 0, from: axis + axes, to: total)) }
      updates = emit(
        "Reshape", [updates, parts.count == 1 ? parts[0] : emit("Concat", parts, .int("axis", 0))])
      indices = reshaped(indices, to: [-1])
    }
    var wide = [Int](repeating: 1, count: rank)
    wide[axis] = -1
    let spread: String = emit("Expand", [reshaped(indices, to: wide), shape(of: updates)])
    return try scattered(
      "ScatterElements", operation.mode, [.int("axis", axis)], indices: spread, updates: updates)
  }

  fileprivate func scattered(
    _ type: String, _ mode: ScatterMode, _ attributes: [NodeAttribute], indices: String? = nil,
    updates: String? = nil
  ) throws -> String {
    let targets: String = try indices ?? integerValues(1)
    let given: String = try updates ?? input(2)
    let reduction: String
    switch mode {
    case .update: reduction = "none"
    case .add: reduction = "add"
    case .multiply: reduction = "mul"
    case .maximum: reduction = "max"
    case .minimum: reduction = "min"
    case .subtract:
      let opposite: String = emit("Neg", [given])
      return emit(
        type, [try input(), targets, opposite], outputs: 1,
        attributes + [.string("reduction", "add")])[0]
    case .divide:
      guard !element().isInteger else {
        throw unsupported("ONNX cannot divide integers while it scatters.")
      }
      // Divides each element only once, by the product of all updates with the same index.
      let ones: String = emit("Expand", [number(1), shape(of: try input())])
      let product: String = emit(
        type, [ones, targets, given], outputs: 1, attributes + [.string("reduction", "mul")])[0]
      return emit("Div", [try input(), product])
    }
    return emit(
      type, [try input(), targets, given], outputs: 1,
      attributes + [.string("reduction", reduction)])[0]
  }
}
