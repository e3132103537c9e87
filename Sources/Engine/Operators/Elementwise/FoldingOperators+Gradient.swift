import Graph

extension AddOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? { dy }
}

extension MultiplyOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    guard x.count > 1 else { return dy * .number(alpha) }
    return x.indices.filter { $0 != input }.reduce(dy) {
      (product: Formula, other: Int) -> Formula in
      product * x[other]
    }
  }
}

extension AverageOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .number(Float(x.count))
  }
}

extension MaxOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy.ifLargest(at: input, among: x)
  }
}

extension MinOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy.ifLargest(at: input, among: x.map { -$0 })
  }
}

extension Formula {
  /// Returns a formula with this formula's value if `values[index]` is the largest of all `values`, otherwise 0. If
  /// several values are equally large, the first of them counts as the largest.
  ///
  /// Compares `values` with each other and not with the operator's output, because the output may have been rounded.
  fileprivate func ifLargest(at index: Int, among values: [Formula]) -> Formula {
    let own: Formula = values[index]
    var result: Formula = self
    if let before = values[..<index].joinedByMaximum { result = result * own.isAbove(before) }
    if let after = values[(index + 1)...].joinedByMaximum {
      result = result * own.isAtLeast(after)
    }
    return result
  }
}

extension ArraySlice<Formula> {
  /// A formula for the largest of these values; nil if there are none.
  fileprivate var joinedByMaximum: Formula? {
    guard let first else { return nil }
    return dropFirst().reduce(first) { Formula.operation(.maximum, $0, $1) }
  }
}
