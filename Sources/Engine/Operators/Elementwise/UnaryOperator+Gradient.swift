import Graph

extension UnaryOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    let inner: Formula = .number(scale) * x[0] + .number(shift)
    let scaled: Formula = dy * .number(scale)
    switch function {
    case .squareRoot: return scaled / y * 0.5
    case .reciprocalSquareRoot: return scaled * (y * y * y) * -0.5
    case .inverse: return -(scaled * (y * y))
    case .power(let alpha):
      switch alpha {
      case 0: return nil
      case 1: return scaled
      case 2: return scaled * inner * 2
      default: return scaled * .power(inner, alpha - 1) * .number(alpha)
      }
    case .exponential: return scaled * y
    case .logarithm(let epsilon): return scaled / (inner + .number(epsilon))
    case .magnitude: return scaled * .function(.sign, inner)
    case .threshold(let alpha): return scaled.gated(by: inner - .number(alpha))
    }
  }
}
