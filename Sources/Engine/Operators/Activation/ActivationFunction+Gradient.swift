extension ActivationFunction {
  /// Returns a formula for the gradient of the argument `x`. The formula may read `x`, the result `y` and the gradient
  /// `dy` of the result.
  ///
  /// Most formulas do not read `x`. If a formula does not read `x`, the plan need not store `x` for the backward pass,
  /// and the activation can be fused into a convolution.
  package func pullback(_ dy: Formula, x: Formula, y: Formula) -> Formula {
    switch self {
    case .linear(let alpha, _): return dy * .number(alpha)
    case .reLU: return dy.gated(by: y)
    case .leakyReLU(let alpha): return Self.leaky(dy, x: alpha > 0 ? y : x, .number(alpha))
    case .thresholdedReLU(let alpha): return dy * x.isAtLeast(.number(alpha))
    case .tanh: return dy * (1 - y * y)
    case .scaledTanh(let alpha, let beta):
      let bent: Formula = .function(.tanh, x * .number(beta))
      return dy * (1 - bent * bent) * .number(alpha * beta)
    case .sigmoid: return dy * y * (1 - y)
    case .sigmoidHard(let alpha, let beta):
      let linear: Formula = x * .number(alpha) + .number(beta)
      return dy.gated(by: linear).gated(by: 1 - linear) * .number(alpha)
    case .elu(let alpha):
      let negativeSlope: Formula = y + .number(alpha)
      return dy * .select((alpha > 0 ? y : x).isAtLeast(0), 1, negativeSlope)
    case .softsign:
      let rest: Formula = 1 - .function(.magnitude, y)
      return dy * (rest * rest)
    case .softplus: return dy * .function(.sigmoid, x)
    case .parametricSoftplus(let alpha, let beta):
      return dy * .number(alpha * beta) * .function(.sigmoid, x * .number(beta))
    }
  }

  private static func leaky(_ dy: Formula, x: Formula, _ alpha: Formula) -> Formula {
    dy * .select(x.isAtLeast(0), 1, alpha)
  }
}
