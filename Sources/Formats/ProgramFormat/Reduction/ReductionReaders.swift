import Graph
import Operators

/// Reductions over axes.
enum ReductionReaders {
  static let all: [OperationReader] = [
    reduction("reduce_l1_norm", .l1), reduction("reduce_l2_norm", .l2),
    reduction("reduce_log_sum", .logOfSum),
    reduction("reduce_log_sum_exp", .logOfSumOfExponentials),
    reduction("reduce_max", .maximum, .exact), reduction("reduce_mean", .mean),
    reduction("reduce_min", .minimum, .exact), reduction("reduce_prod", .product),
    reduction("reduce_sum", .sum), reduction("reduce_sum_square", .sumOfSquares),
    position("reduce_argmax", .indexOfMaximum), position("reduce_argmin", .indexOfMinimum),
  ]

  private static func reduction(
    _ name: String, _ mode: ReductionMode, _ rounding: OperationReader.Rounding = .computed
  ) -> OperationReader {
    OperationReader(name, as: [ReduceAxesOperator.self], rounding) { operation in
      let x = try operation.tensor("x")
      let axes: [Int] = try operation.reducedAxes("axes", rank: try operation.rank("x"))
      let keepsAxes: Bool = try operation.bool("keep_dims", or: false)
      return [.value(operation.reduce(x, mode, axes, keepsAxes: keepsAxes))]
    }
  }

  /// Makes the reader of argmax or argmin along one axis. From iOS 17 on, `output_dtype` states the type of the result.
  private static func position(_ name: String, _ mode: ReductionMode) -> OperationReader {
    OperationReader(name, as: [ReduceAxesOperator.self], .exact) { operation in
      let (x, rank) = (try operation.tensor("x"), try operation.rank("x"))
      let axes: [Int] = try operation.resolved([try operation.int("axis", or: -1)], rank: rank)
      let made = operation.reduce(
        x, mode, axes, keepsAxes: try operation.bool("keep_dims", or: false))
      guard let written = operation.outputs[0] else {
        throw operation.invalid("the output is not a tensor.")
      }
      // If the input has a floating-point type or a small integer type, the graph stores the indices as floating-point
      // numbers. It stores `uint16` in the same way, so the indices count as `uint16` here.
      let positions = ProgramTensor(made, x.element.held.isInteger ? .int32 : .uint16, nil)
      return [.value(operation.converted(positions, to: written.element))]
    }
  }
}

extension ProgramOperation {
  /// Returns the axes that an input lists, as non-negative numbers. If the input is omitted, returns all axes.
  func reducedAxes(_ input: String, rank: Int) throws -> [Int] {
    guard let axes = try optionalInts(input) else { return Array(0..<rank) }
    return try resolved(axes, rank: rank)
  }

  /// Returns axes as non-negative numbers, sorted and without duplicates.
  func resolved(_ axes: [Int], rank: Int) throws -> [Int] {
    let resolved: [Int] = try axes.map { axis in
      guard (-rank..<max(rank, 1)).contains(axis) else {
        throw invalid("the axis \(axis) does not exist in an input of \(rank) axes.")
      }
      return axis < 0 ? axis + rank : axis
    }
    return Set(resolved).sorted()
  }

  /// Reduces a tensor over axes. The axes must be non-negative and sorted. For a scalar, the list of axes is empty.
  func reduce(
    _ x: ProgramTensor, _ mode: ReductionMode, _ axes: [Int], keepsAxes: Bool
  ) -> Graph.ValueID {
    let rank: Int = x.rank ?? 0
    guard !axes.isEmpty else {
      // If the list of axes is empty, each element is reduced separately.
      let stretched = add(ExpandDimsOperator(axes: [rank]), x.id)
      let reduced = add(ReduceAxesOperator(mode, axes: [rank]), stretched)
      return rank == 0 ? add(ReshapeStaticOperator(targetShape: []), reduced) : reduced
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
