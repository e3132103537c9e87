import Graph
import Operators

/// Reductions, sorting and cumulative sums.
enum ReductionWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(ReduceAxesOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let axes: [Int] =
        operation.axes.isEmpty ? Array(0..<rank) : operation.axes.map { node.axis($0, rank: rank) }
      return try node.reduction(
        operation.mode, Set(axes).sorted(), rank: rank, keepsAxes: operation.keepsAxes)
    },
    OperatorWriting(ReduceOperator.self) { operation, node in
      let rank: Int = try node.rank()
      return try node.reduction(
        operation.mode, operation.axes.map { node.axis($0, rank: rank) }.sorted(), rank: rank,
        keepsAxes: true)
    },
    OperatorWriting(
      TopKOperator.self,
      all: { operation, node in
        let count: String =
          node.node.inputs.count > 1
          ? node.reshaped(try node.integerValues(1), to: [1]) : node.ints([operation.count])
        let made: [String] = node.emit(
          "TopK", [try node.input(), count], outputs: 2,
          [.int("axis", operation.axis), .int("largest", operation.isBottom ? 0 : 1)])
        return [made[0], node.cast(made[1], to: .float32)]
      }),
    OperatorWriting(ArgSortOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let axis: Int = node.axis(operation.axis, rank: rank)
      let x: String = try node.input()
      let count: String = node.sliced(node.shape(of: x), axis: 0, from: axis, to: axis + 1)
      let made: [String] = node.emit(
        "TopK", [x, count], outputs: 2,
        [.int("axis", axis), .int("largest", operation.isDescending ? 1 : 0)])
      return node.cast(made[1], to: .float32)
    },
    OperatorWriting(CumSumOperator.self) { operation, node in
      let axis: String =
        node.node.inputs.count > 1
        ? node.reshaped(try node.integerValues(1), to: []) : node.writer.ints([operation.axis], [])
      return node.emit(
        "CumSum", [try node.input(), axis], .int("exclusive", operation.isExclusive ? 1 : 0),
        .int("reverse", operation.isReversed ? 1 : 0))
    },
  ]
}

extension NodeContext {
  /// Reduces axes. If all axes are reduced, the graph's operator keeps one axis of extent one.
  fileprivate func reduction(
    _ mode: ReductionMode, _ axes: [Int], rank: Int, keepsAxes: Bool
  ) throws -> String {
    var x: String = try input()
    let type: String
    switch mode {
    case .sum: type = "ReduceSum"
    case .mean: type = "ReduceMean"
    case .product: type = "ReduceProd"
    case .sumOfSquares: type = "ReduceSumSquare"
    case .l1: type = "ReduceL1"
    case .l2: type = "ReduceL2"
    case .maximum: type = "ReduceMax"
    case .minimum: type = "ReduceMin"
    case .logOfSum: type = "ReduceLogSum"
    case .logOfSumOfExponentials: type = "ReduceLogSumExp"
    case .sumOfLogs(let epsilon):
      type = "ReduceSum"
      x = emit("Log", [epsilon == 0 ? x : emit("Add", [x, number(Double(epsilon))])])
    case .indexOfMaximum, .indexOfMinimum:
      var axis: Int = axes.first ?? 0
      if axes.count > 1 {
        // If argmax or argmin reduces several axes, the index is a flat index over these axes.
        guard axes == Array((axes.first ?? 0)...(axes.last ?? 0)) else {
          throw unsupported("it returns indices over axes that are not adjacent.")
        }
        let all: String = shape(of: x)
        let target: String = emit(
          "Concat",
          [sliced(all, axis: 0, from: 0, to: axis), ints([-1])]
            + (axes.last == rank - 1
              ? [] : [sliced(all, axis: 0, from: (axes.last ?? 0) + 1, to: rank)]),
          .int("axis", 0))
        x = emit("Reshape", [x, target])
        axis = axes.first ?? 0
      }
      let index: String = emit(
        mode == .indexOfMaximum ? "ArgMax" : "ArgMin", [x], .int("axis", axis),
        .int("keepdims", 0))
      let held: String = cast(index, to: outputElement)
      let result: String =
        keepsAxes ? emit("Unsqueeze", [held, ints(axes)]) : held
      return axes.count == rank && !keepsAxes ? reshaped(result, to: [1]) : result
    }
    let made: String = emit(type, [x, ints(axes)], .int("keepdims", keepsAxes ? 1 : 0))
    return axes.count == rank && !keepsAxes ? reshaped(made, to: [1]) : made
  }
}
