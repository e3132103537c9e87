import Graph
import Operators

/// Axes folded into one value.
enum ReductionReaders {
  static let all: [OperationReader] = [
    fold("reduce_l1_norm", .l1), fold("reduce_l2_norm", .l2), fold("reduce_log_sum", .logOfSum),
    fold("reduce_log_sum_exp", .logOfSumOfExponentials),
    fold("reduce_max", .maximum, .exact), fold("reduce_mean", .mean),
    fold("reduce_min", .minimum, .exact), fold("reduce_prod", .product),
    fold("reduce_sum", .sum), fold("reduce_sum_square", .sumOfSquares),
    position("reduce_argmax", .positionOfMaximum), position("reduce_argmin", .positionOfMinimum),
  ]

  private static func fold(
    _ name: String, _ mode: ReductionMode, _ rounding: OperationReader.Rounding = .computed
  ) -> OperationReader {
    OperationReader(name, as: [ReduceAxesOperator.self], rounding) { operation in
      let x = try operation.tensor("x")
      let axes: [Int] = try operation.foldedAxes("axes", rank: try operation.rank("x"))
      let keepsAxes: Bool = try operation.bool("keep_dims", or: false)
      return [.value(operation.reduce(x, mode, axes, keepsAxes: keepsAxes))]
    }
  }

  /// The position of an extreme along one axis; `output_dtype` of iOS 17 is the type that is written.
  private static func position(_ name: String, _ mode: ReductionMode) -> OperationReader {
    OperationReader(name, as: [ReduceAxesOperator.self], .exact) { operation in
      let (x, rank) = (try operation.tensor("x"), try operation.rank("x"))
      let axes: [Int] = try operation.resolved([try operation.int("axis", or: -1)], rank: rank)
      let made = operation.reduce(
        x, mode, axes, keepsAxes: try operation.bool("keep_dims", or: false))
      guard let written = operation.outputs[0] else {
        throw operation.invalid("the output is no tensor.")
      }
      // Positions of floats come as whole numbers held in floats, as those of 16 bits are.
      let positions = ProgramTensor(made, x.element.held.isInteger ? .int32 : .uint16, nil)
      return [.value(operation.converted(positions, to: written.element))]
    }
  }
}

extension ProgramOperation {
  /// The axes that an input states, resolved; all where it is left out.
  func foldedAxes(_ input: String, rank: Int) throws -> [Int] {
    guard let axes = try optionalInts(input) else { return Array(0..<rank) }
    return try resolved(axes, rank: rank)
  }

  /// Axes that may count from the end, resolved, each once, in rising order.
  func resolved(_ axes: [Int], rank: Int) throws -> [Int] {
    let resolved: [Int] = try axes.map { axis in
      guard (-rank..<max(rank, 1)).contains(axis) else {
        throw invalid("the axis \(axis) does not exist in an input of \(rank) axes.")
      }
      return axis < 0 ? axis + rank : axis
    }
    return Set(resolved).sorted()
  }

  /// A tensor with axes folded, which are resolved and in rising order. A scalar has no axes.
  func reduce(
    _ x: ProgramTensor, _ mode: ReductionMode, _ axes: [Int], keepsAxes: Bool
  ) -> Graph.ValueID {
    let rank: Int = x.rank ?? 0
    guard !axes.isEmpty else {
      // Over no axes each element is folded by itself.
      let stretched = add(ExpandDimsOperator(axes: [rank]), x.id)
      let folded = add(ReduceAxesOperator(mode, axes: [rank]), stretched)
      return rank == 0 ? add(ReshapeStaticOperator(targetShape: []), folded) : folded
    }
    var value: Graph.ValueID = x.id
    let runs: [[Int]] = x.element.held.isInteger ? [axes] : axes.runs
    let modes: [ReductionMode] = mode.steps(runs.count)
    for (run, mode) in zip(runs, modes).dropLast() {
      value = add(ReduceAxesOperator(mode, axes: run, keepsAxes: true), value)
    }
    let isScalar: Bool = axes.count == rank && !keepsAxes
    let isOneStep: Bool = runs.count == 1
    value = add(
      ReduceAxesOperator(
        modes[modes.count - 1], axes: runs[runs.count - 1], keepsAxes: keepsAxes || !isOneStep),
      value)
    if isScalar { return add(ReshapeStaticOperator(targetShape: []), value) }
    return isOneStep || keepsAxes ? value : add(SqueezeOperator(axes: axes), value)
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
