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
    dy.won(by: input, among: x)
  }
}

extension MinOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy.won(by: input, among: x.map { -$0 })
  }
}

extension Formula {
  /// Itself where a value is the largest, 0 elsewhere; of equal ones the first wins.
  ///
  /// Compares inputs with each other, not with the output, which may have been rounded.
  fileprivate func won(by winner: Int, among values: [Formula]) -> Formula {
    let own: Formula = values[winner]
    var result: Formula = self
    if let before = values[..<winner].joinedByMaximum { result = result * own.isAbove(before) }
    if let behind = values[(winner + 1)...].joinedByMaximum {
      result = result * own.isAtLeast(behind)
    }
    return result
  }
}

extension ArraySlice<Formula> {
  /// The largest of some values; nil for none.
  fileprivate var joinedByMaximum: Formula? {
    guard let first else { return nil }
    return dropFirst().reduce(first) { Formula.operation(.maximum, $0, $1) }
  }
}
