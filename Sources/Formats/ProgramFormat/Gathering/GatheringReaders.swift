import Graph
import Operators

/// Operations that gather or scatter elements and slices.
enum GatheringReaders {
  static let all: [OperationReader] = [
    OperationReader("gather", as: [GatherOperator.self], .exact) { operation in
      let (x, indices) = (try operation.tensor("x"), try operation.tensor("indices"))
      let axis: Int = try operation.axis("axis", or: 0, rank: try operation.rank("x"))
      let gather = GatherOperator(
        axis: axis, batchAxes: try operation.int("batch_dims", or: 0),
        rule: try operation.gatherRule)
      return [operation.result(operation.add(gather, x.id, indices.id))]
    },
    OperationReader("gather_along_axis", as: [GatherAlongAxisOperator.self], .exact) { operation in
      let (x, indices) = (try operation.tensor("x"), try operation.tensor("indices"))
      let axis: Int = try operation.axis("axis", or: 0, rank: try operation.rank("x"))
      let gather = GatherAlongAxisOperator(axis: axis, rule: try operation.gatherRule)
      return [.value(operation.add(gather, x.id, indices.id))]
    },
    OperationReader("gather_nd", as: [GatherNDOperator.self], .exact) { operation in
      let (x, indices) = (try operation.tensor("x"), try operation.tensor("indices"))
      let gather = GatherNDOperator(
        batchAxes: try operation.int("batch_dims", or: 0), rule: try operation.gatherRule)
      return [operation.result(operation.add(gather, x.id, indices.id))]
    },
    scatter("scatter", as: ScatterOperator.self) { operation, mode in
      let axis: Int = try operation.axis("axis", or: 0, rank: try operation.rank("data"))
      return ScatterOperator(axis: axis, mode: mode, rule: try operation.scatterRule)
    },
    scatter("scatter_along_axis", as: ScatterAlongAxisOperator.self) { operation, mode in
      let axis: Int = try operation.axis("axis", or: 0, rank: try operation.rank("data"))
      return ScatterAlongAxisOperator(axis: axis, mode: mode, rule: try operation.scatterRule)
    },
    scatter("scatter_nd", as: ScatterNDOperator.self) { operation, mode in
      ScatterNDOperator(mode: mode, rule: try operation.scatterRule)
    },
  ]

  private static func scatter(
    _ name: String, as type: any Operator.Type,
    _ operation: @escaping @Sendable (ProgramOperation, ScatterMode) throws -> any Operator
  ) -> OperationReader {
    OperationReader(name, as: [type]) { program in
      let inputs: [Graph.ValueID] = try ["data", "indices", "updates"].map {
        try program.tensor($0).id
      }
      let written: String = try program.string("mode", or: "add")
      guard let mode = modes[written] else {
        let known: String = modes.keys.sorted().joined(separator: ", ")
        throw program.invalid("'mode' is '\(written)', expected one of \(known).")
      }
      return [program.result(program.add(try operation(program, mode), inputs))]
    }
  }

  private static let modes: [String: ScatterMode] = [
    "update": .update, "add": .add, "sub": .subtract, "mul": .multiply, "div": .divide,
    "max": .maximum, "min": .minimum,
  ]
}

extension ProgramOperation {
  /// Whether the operation checks its indices. Before iOS 17, negative indices count from the end of the axis, and
  /// every index must be within the axis. From iOS 17 on, the operation checks indices only if the program asks for it.
  fileprivate var isChecked: Bool {
    get throws { try opset < .iOS17 || bool("validate_indices", or: false) }
  }

  /// How an operation that gathers interprets its indices. From iOS 17 on, unchecked negative indices have no defined
  /// meaning; here they count from the end of the axis, as before iOS 17.
  fileprivate var gatherRule: IndexRule {
    get throws {
      let isChecked: Bool = try isChecked
      return IndexRule(countsFromEnd: opset < .iOS17 || !isChecked, isChecked: isChecked)
    }
  }

  /// The meaning of the indices of an operation that scatters. From iOS 17 on, negative indices are out of range.
  fileprivate var scatterRule: IndexRule {
    get throws { IndexRule(countsFromEnd: opset < .iOS17, isChecked: try isChecked) }
  }
}
