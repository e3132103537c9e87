import Graph

extension AxisReduction {
  /// The gradient of what is folded, which stretches that of the result; nil where it is zero.
  ///
  /// Equal extremes share the gradient. That of a product wants elements other than zero.
  package func gradient(_ context: inout GradientContext) throws -> Graph.ValueID? {
    let input: Graph.ValueID = context.inputs[0]
    let shape: Shape = context.shape(of: input)
    var kept: Shape = shape
    for axis in axes { kept[axis] = 1 }
    let gradient = try context.reshape(context.outputGradient, to: kept)
    let result: Graph.ValueID =
      readsResult ? try context.reshape(context.output, to: kept) : gradient
    let (dy, x, y): (Formula, Formula, Formula) = (.operand(0), .operand(1), .operand(2))
    let formula: Formula
    switch mode {
    case .sum: formula = dy
    case .mean: formula = dy / .number(Float(shape.count / kept.count))
    case .product: formula = dy * y / x
    case .sumOfLogs(let epsilon): formula = dy / (x + .number(epsilon))
    case .sumOfSquares: formula = dy * x * 2
    case .l1: formula = dy * .function(.sign, x)
    case .l2: formula = dy * (x / .operation(.maximum, y, 1e-30))
    case .logOfSum: formula = dy * .function(.exponential, -y)
    case .logOfSumOfExponentials: formula = dy * .function(.exponential, x - y)
    case .maximum, .minimum:
      let mask = try context.compute(.operation(.isEqual, x, y), of: [gradient, input, result])
      let sharers = try context.add(ReduceAxesOperator(.sum, axes: axes, keepsAxes: true), mask)
      return try context.compute(
        .operand(0) * .operand(1) / .operand(2), of: [gradient, mask, sharers])
    case .positionOfMaximum, .positionOfMinimum: return nil
    }
    return try context.compute(formula, of: [gradient, input, result], like: input)
  }

  private var readsResult: Bool {
    switch mode {
    case .product, .l2, .logOfSum, .logOfSumOfExponentials, .maximum, .minimum: return true
    default: return false
    }
  }
}
