import Graph

extension ActivationOperator: DifferentiableOperator {
  /// Most functions tell their slope by their result, so that nothing in front of them is kept and they
  /// still fuse into a convolution.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    var values: [Graph.ValueID] = [context.outputGradient, context.inputs[0], context.output]
    let formula: Formula = function.pullback(
      .operand(0), x: .operand(1), y: .operand(2),
      parameter: { (numbers: [Float]) -> Formula in
        guard numbers.count != 1 else { return .number(numbers[0]) }
        let tensor = ReferenceTensor([numbers.count, 1, 1], numbers.map(Double.init))
        values.append(context.constant(tensor))
        return .operand(values.count - 1)
      })
    return [try context.compute(formula, of: values, like: context.output)]
  }
}

extension ActivationFunction {
  /// The gradient of the argument.
  ///
  /// - Parameter parameter: the formula of a parameter that has one value, or one a channel.
  package func pullback(_ dy: Formula, x: Formula, y: Formula, parameter: ([Float]) -> Formula) -> Formula {
    switch self {
    case .linear(let alpha, _): return dy * .number(alpha)
    case .reLU: return dy.gated(by: y)
    case .leakyReLU(let alpha): return Self.leaky(dy, x: alpha > 0 ? y : x, .number(alpha))
    case .thresholdedReLU(let alpha): return dy * x.isAtLeast(.number(alpha))
    case .pReLU(let alpha): return Self.leaky(dy, x: x, parameter(alpha))
    case .tanh: return dy * (1 - y * y)
    case .scaledTanh(let alpha, let beta):
      let bent: Formula = .function(.tanh, x * .number(beta))
      return dy * (1 - bent * bent) * .number(alpha * beta)
    case .sigmoid: return dy * y * (1 - y)
    case .sigmoidHard(let alpha, let beta):
      let line: Formula = x * .number(alpha) + .number(beta)
      return dy.gated(by: line).gated(by: 1 - line) * .number(alpha)
    case .elu(let alpha):
      let below: Formula = y + .number(alpha)
      return dy * .select((alpha > 0 ? y : x).isAtLeast(0), 1, below)
    case .softsign:
      let rest: Formula = 1 - .function(.magnitude, y)
      return dy * (rest * rest)
    case .softplus: return dy * .function(.sigmoid, x)
    case .parametricSoftplus(let alpha, let beta):
      let steepness: Formula = parameter(beta)
      return dy * (parameter(alpha) * steepness) * .function(.sigmoid, steepness * x)
    }
  }

  private static func leaky(_ dy: Formula, x: Formula, _ alpha: Formula) -> Formula {
    dy * .select(x.isAtLeast(0), 1, alpha)
  }
}
