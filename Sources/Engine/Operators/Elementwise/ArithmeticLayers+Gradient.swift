import Graph

// The gradients of the two inputs of layers that join them. Where two are equal, the first one counts as
// the larger and as the smaller, as in the references.

extension AddBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? { dy }
}

extension SubtractBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0 ? dy : -dy
  }
}

extension MultiplyBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * x[1 - input]
  }
}

extension DivideBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0 ? dy / x[1] : -(dy * y / x[1])
  }
}

extension MaxBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0 ? dy * x[0].isAtLeast(x[1]) : dy * x[1].isAbove(x[0])
  }
}

extension MinBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0 ? dy * x[1].isAtLeast(x[0]) : dy * x[0].isAbove(x[1])
  }
}

extension ModBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0 ? dy : -(dy * .function(.floor, x[0] / x[1]))
  }
}

extension FloorDivBroadcastableOperator: SteppingOperator {}

extension PowBroadcastableOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    input == 0
      ? dy * x[1] * .operation(.power, x[0], x[1] - 1)
      : dy * y * .function(.logarithm, x[0])
  }
}
