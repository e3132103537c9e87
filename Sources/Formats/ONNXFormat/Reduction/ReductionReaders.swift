import Graph
import Operators

/// Reductions over axes.
enum ReductionReaders {
  static let all: [NodeReader] = [
    reduction("ReduceL1", .l1), reduction("ReduceL2", .l2), reduction("ReduceLogSum", .logOfSum),
    reduction("ReduceLogSumExp", .logOfSumOfExponentials), reduction("ReduceMax", .maximum, .exact),
    reduction("ReduceMean", .mean), reduction("ReduceMin", .minimum, .exact),
    reduction("ReduceProd", .product),
    reduction("ReduceSum", .sum), reduction("ReduceSumSquare", .sumOfSquares),
    position("ArgMax", .indexOfMaximum), position("ArgMin", .indexOfMinimum),
  ]

  private static func reduction(
    _ name: String, _ mode: ReductionMode, _ rounding: NodeReader.Rounding = .computed
  ) -> NodeReader {
    NodeReader(name, as: [ReduceAxesOperator.self], rounding) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      // The axes are an input from opset 13 on for sums, and from opset 18 on for other reductions.
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
      // For integers, reductions whose results may be fractional are computed in `Double` and truncated.
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
      if !x.element.isHeldAsInteger { made = try node.add(CastOperator(to: .int32), made) }
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
  /// Splits this reduction into `count` steps, each over one run of adjacent axes. The steps are applied one after the
  /// other.
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
  /// Reduces a value over axes, which must be non-negative and sorted.
  func reduced(
    _ x: Graph.ValueID, _ mode: ReductionMode, _ axes: [Int], keepsAxes: Bool, rank: Int,
    as element: ElementType = .float32
  ) throws -> Graph.ValueID {
    let overflow: IntegerOverflow = element.overflowFromONNX
    guard !axes.isEmpty else {
      // Without axes, each element is reduced alone: along an added axis of extent one.
      let reduced = try add(
        ReduceAxesOperator(mode, axes: [rank], overflow: overflow), stretched(x, [rank]))
      return rank == 0 ? try reshaped(reduced, to: []) : reduced
    }
    let runs: [[Int]] = element.isHeldAsInteger ? [axes] : axes.runs
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

  /// Reduces each element separately. This is the node's result if the node names no axes and its attribute
  /// `noop_with_empty_axes` is set.
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
