import Graph
import Operators

/// Axes folded, sorted and summed up.
enum ReductionWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(ReduceAxesOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let axes: [Int] =
        operation.axes.isEmpty ? Array(0..<rank) : operation.axes.map { node.axis($0, rank: rank) }
      return try node.folded(
        operation.mode, Set(axes).sorted(), rank: rank, keepsAxes: operation.keepsAxes)
    },
    OperatorWriting(ReduceOperator.self) { operation, node in
      let rank: Int = try node.rank()
      return try node.folded(
        operation.mode, operation.axes.map { node.axis($0, rank: rank) }.sorted(), rank: rank,
        keepsAxes: true)
    },
    OperatorWriting(
      TopKOperator.self,
      all: { operation, node in
        let count: String =
          node.node.inputs.count > 1
          ? node.reshaped(try node.wholes(1), to: [1]) : node.ints([operation.count])
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
        ? node.reshaped(try node.wholes(1), to: []) : node.writer.ints([operation.axis], [])
      return node.emit(
        "CumSum", [try node.input(), axis], .int("exclusive", operation.isExclusive ? 1 : 0),
        .int("reverse", operation.isReversed ? 1 : 0))
    },
  ]
}

extension NodeContext {
  /// Axes folded; ours keeps one axis where none is left.
  fileprivate func folded(
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
    case .positionOfMaximum, .positionOfMinimum:
      var axis: Int = axes.first ?? 0
      if axes.count > 1 {
        // Positions over several axes count over all of them.
        guard axes == Array((axes.first ?? 0)...(axes.last ?? 0)) else {
          throw unsupported("positions over axes that are no neighbours.")
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
      let place: String = emit(
        mode == .positionOfMaximum ? "ArgMax" : "ArgMin", [x], .int("axis", axis),
        .int("keepdims", 0))
      let held: String = cast(place, to: outputElement)
      let kept: String =
        keepsAxes ? emit("Unsqueeze", [held, ints(axes)]) : held
      return axes.count == rank && !keepsAxes ? reshaped(kept, to: [1]) : kept
    }
    let made: String = emit(type, [x, ints(axes)], .int("keepdims", keepsAxes ? 1 : 0))
    return axes.count == rank && !keepsAxes ? reshaped(made, to: [1]) : made
  }
}
