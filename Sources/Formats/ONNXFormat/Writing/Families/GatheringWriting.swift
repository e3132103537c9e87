import Graph
import Operators

/// Elements at places that indices name. ONNX leaves open what becomes of an index that names no place.
enum GatheringWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(GatherOperator.self) { operation, node in
      guard operation.batchAxes == 0 else {
        throw node.unsupported("indices and data have axes in common.")
      }
      try node.require(operation.rule)
      return node.emit(
        "Gather", [try node.input(), try node.wholes(1)], .int("axis", operation.axis))
    },
    OperatorWriting(GatherAlongAxisOperator.self) { operation, node in
      try node.require(operation.rule)
      return node.emit(
        "GatherElements", [try node.input(), try node.wholes(1)], .int("axis", operation.axis))
    },
    OperatorWriting(GatherNDOperator.self) { operation, node in
      try node.require(operation.rule)
      let made: String = node.emit(
        "GatherND", [try node.input(), try node.wholes(1)], .int("batch_dims", operation.batchAxes))
      let isScalar: Bool = try node.rank(1) == 1 && node.extents(1)[0] == node.rank()
      return isScalar ? node.reshaped(made, to: [1]) : made
    },
    OperatorWriting(ScatterAlongAxisOperator.self) { operation, node in
      try node.require(operation.rule)
      return try node.scattered("ScatterElements", operation.mode, [.int("axis", operation.axis)])
    },
    OperatorWriting(ScatterNDOperator.self) { operation, node in
      try node.require(operation.rule)
      return try node.scattered("ScatterND", operation.mode, [])
    },
    OperatorWriting(OneHotOperator.self) { operation, node in
      let depth: String =
        try operation.vectorSize.map { node.writer.ints([$0], []) }
        ?? node.reshaped(node.wholes(1), to: [])
      // Negative indices are outside in ours, and count from the end in ONNX.
      let indices: String = try node.wholes(0)
      let isNegative: String = node.emit("Less", [indices, node.writer.ints([0], [])])
      let kept: String = node.emit("Where", [isNegative, depth, indices])
      return node.emit(
        "OneHot",
        [kept, depth, node.writer.floats([operation.offValue, operation.onValue])],
        .int("axis", operation.axis))
    },
    OperatorWriting(WhereNonZeroOperator.self) { _, node in
      let columns: String = node.emit("NonZero", [try node.input()])
      return node.cast(node.transposed(columns, [1, 0]), to: .float32)
    },
  ]
}

extension NodeContext {
  /// Throws where indices that name no place have a meaning.
  fileprivate func require(_ rule: IndexRule) throws {
    guard rule.countsFromEnd else {
      throw unsupported("its negative indices name no place, in ONNX they count from the end.")
    }
  }

  fileprivate func scattered(
    _ type: String, _ mode: ScatterMode, _ attributes: [NodeAttribute]
  ) throws -> String {
    let reduction: String
    switch mode {
    case .update: reduction = "none"
    case .add: reduction = "add"
    case .multiply: reduction = "mul"
    case .maximum: reduction = "max"
    case .minimum: reduction = "min"
    case .subtract:
      let opposite: String = emit("Neg", [try input(2)])
      return emit(
        type, [try input(), try wholes(1), opposite], outputs: 1,
        attributes + [.string("reduction", "add")])[0]
    case .divide: throw unsupported("ONNX does not divide what is scattered.")
    }
    return emit(
      type, [try input(), try wholes(1), try input(2)], outputs: 1,
      attributes + [.string("reduction", reduction)])[0]
  }
}
