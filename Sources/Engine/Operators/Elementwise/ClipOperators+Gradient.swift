import Graph

extension ClipOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * x[0].isAtLeast(.number(minimum)) * Formula.number(maximum).isAtLeast(x[0])
  }
}

extension ClampedReLUOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    let leaky: Formula = .select(x[0].isAtLeast(0), x[0], x[0] * .number(alpha))
    let slope: Formula = .select(x[0].isAtLeast(0), 1, .number(alpha))
    return dy * slope * Formula.number(beta).isAtLeast(leaky)
  }
}

extension GeluOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    let x: Formula = x[0]
    let square: Formula = x * x
    switch mode {
    case .exact:
      // The derivative is Φ(x) + x φ(x), with the cumulative distribution function Φ and the density φ of the standard
      // normal distribution.
      let share: Formula = .function(.errorFunction, x * 0.7071067811865476) * 0.5 + 0.5
      let density: Formula = .function(.exponential, square * -0.5) * 0.3989422804014327
      return dy * (share + x * density)
    case .tanhApproximation:
      let root: Float = 0.7978845608028654
      let bent: Formula = .function(
        .tanh, x * (square * .number(root * 0.044715) + .number(root)))
      let slope: Formula = square * .number(3 * root * 0.044715) + .number(root)
      return dy * (bent * 0.5 + 0.5 + x * (1 - bent * bent) * slope * 0.5)
    case .sigmoidApproximation:
      let share: Formula = .function(.sigmoid, x * 1.702)
      return dy * share * (1 + x * 1.702 * (1 - share))
    }
  }
}
