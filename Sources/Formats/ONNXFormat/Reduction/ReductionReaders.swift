import Graph
import Operators

/// Axes folded into one value.
enum ReductionReaders {
  static let all: [NodeReader] = [
    fold("ReduceL1", .l1), fold("ReduceL2", .l2), fold("ReduceLogSum", .logOfSum),
    fold("ReduceLogSumExp", .logOfSumOfExponentials), fold("ReduceMax", .maximum, .exact),
    fold("ReduceMean", .mean), fold("ReduceMin", .minimum, .exact), fold("ReduceProd", .product),
    fold("ReduceSum", .sum), fold("ReduceSumSquare", .sumOfSquares),
    position("ArgMax", .positionOfMaximum), position("ArgMin", .positionOfMinimum),
  ]

  private static func fold(
    _ name: String, _ mode: ReductionMode, _ rounding: NodeReader.Rounding = .computed
  ) -> NodeReader {
    NodeReader(name, as: [ReduceAxesOperator.self], rounding) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      // The axes became an input in opset 13 for sums, in opset 18 for the others.
      let areInput: Bool = node.version >= (mode == .sum ? 13 : 18)
      let given: [Int]? =
        areInput ? try node.knownInts(at: 1, "the list of axes") : node.ints("axes")
      if given ?? [] == [], node.flag("noop_with_empty_axes") {
        return [try node.reducedAlone(x, mode)]
      }
      let axes: [Int] = try Set(
        (given?.isEmpty == false ? given : nil)?.map { try node.axis($0, rank: rank) }
          ?? Array(0..<rank)
      ).sorted()
      let keepsAxes: Bool = node.flag("keepdims", or: true)
      // Of integers too: what has a fraction is computed in `Double` and cut off.
      let made = try node.reduced(
        x.id, mode, axes, keepsAxes: keepsAxes, rank: rank, as: x.element)
      return [ONNXTensor(made, x.element)]
    }
  }

  private static func position(_ name: String, _ mode: ReductionMode) -> NodeReader {
    NodeReader(name, as: [ReduceAxesOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      let axis: Int = try node.axis(node.int("axis", or: 0), rank: rank)
      let isLast: Bool = node.flag("select_last_index")
      var value: Graph.ValueID = x.id
      if isLast {
        value = try node.add(ReverseOperator(isReversed: (0..<rank).map { $0 == axis }), value)
      }
      var made = try node.reduced(
        value, mode, [axis], keepsAxes: node.flag("keepdims", or: true), rank: rank,
        as: x.element)
      if !x.element.isHeldWhole { made = try node.add(CastOperator(to: .int32), made) }
      if isLast {
        let last = try node.join(
          .subtract, node.extent(of: x.id, axis: axis), node.constant(1, as: .int32))
        made = try node.join(.subtract, last, made)
      }
      return [ONNXTensor(made, .int64)]
    }
  }
}

extension ReductionMode {
  /// The foldings that make the same, one axis after the other.
  fileprivate func steps(_ count: Int) -> [ReductionMode] {
    let more: Int = count - 1
    switch self {
    case .l1, .sumOfSquares: return [self] + [ReductionMode](repeating: .sum, count: more)
    case .logOfSum: return [ReductionMode](repeating: .sum, count: more) + [self]
    default: return [ReductionMode](repeating: self, count: count)
    }
  }
}

extension ONNXNode {
  /// A value of a type with axes folded, which are counted from the first and in rising order.
  func reduced(
    _ x: Graph.ValueID, _ mode: ReductionMode, _ axes: [Int], keepsAxes: Bool, rank: Int,
    as element: ElementType = .float32
  ) throws -> Graph.ValueID {
    let overflow: IntegerOverflow = element.overflowFromONNX
    guard !axes.isEmpty else {
      // A scalar is folded by itself.
      let folded = try add(
        ReduceAxesOperator(mode, axes: [rank], overflow: overflow), stretched(x, [rank]))
      return rank == 0 ? try reshaped(folded, to: []) : folded
    }
    let runs: [[Int]] = element.isHeldWhole ? [axes] : axes.runs
    let modes: [ReductionMode] = mode.steps(runs.count)
    var value: Graph.ValueID = x
    for (run, mode) in zip(runs, modes).dropLast() {
      value = try add(ReduceAxesOperator(mode, axes: run, keepsAxes: true), value)
    }
    let isOneStep: Bool = runs.count == 1
    value = try add(
      ReduceAxesOperator(
        modes[modes.count - 1], axes: runs[runs.count - 1], keepsAxes: keepsAxes || !isOneStep,
        overflow: overflow), value)
    if axes.count == rank, !keepsAxes { return try reshaped(value, to: []) }
    return isOneStep || keepsAxes ? value : try add(SqueezeOperator(axes: axes), value)
  }

  /// Each element folded by itself, where no axes are named and that means none.
  func reducedAlone(_ x: ONNXTensor, _ mode: ReductionMode) throws -> ONNXTensor {
    switch mode {
    case .l1, .l2: return ONNXTensor(try map(.magnitude, x.id), x.element)
    case .logOfSum: return try held(map(.logarithm, real(x)), as: x.element)
    case .sumOfSquares:
      return ONNXTensor(try join(.multiply, x.id, x.id, as: x.element), x.element)
    default: return x
    }
  }
}
