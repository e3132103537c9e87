import Graph

extension AxisReduction {
  /// Adds operators that compute the gradient of the input. They broadcast the gradient of the result over the reduced
  /// axes and multiply it by the derivative of the result with respect to each element. Returns nil if the gradient of
  /// the input is zero.
  ///
  /// If several elements equal the maximum or minimum, each gets an equal part of the gradient. The gradient of a
  /// product is only defined if no element is zero.
  package func gradient(_ context: inout GradientContext) throws -> Graph.ValueID? {
    let input: Graph.ValueID = context.inputs[0]
    let shape: Shape = context.shape(of: input)
    var reduced: Shape = shape
    for axis in axes { reduced[axis] = 1 }
    let gradient = try context.reshape(context.outputGradient, to: reduced)
    let result: Graph.ValueID =
      readsResult ? try context.reshape(context.output, to: reduced) : gradient
    let (dy, x, y): (Formula, Formula, Formula) = (.operand(0), .operand(1), .operand(2))
    let formula: Formula
    switch mode {
    case .sum: formula = dy
    case .mean: formula = dy / .number(Float(shape.count / reduced.count))
    case .product: formula = dy * y / x
    case .sumOfLogs(let epsilon): formula = dy / (x + .number(epsilon))
    case .sumOfSquares: formula = dy * x * 2
    case .l1: formula = dy * .function(.sign, x)
    case .l2: formula = dy * (x / .operation(.maximum, y, 1e-30))
    case .logOfSum: formula = dy * .function(.exponential, -y)
    case .logOfSumOfExponentials: formula = dy * .function(.exponential, x - y)
    case .maximum, .minimum:
      let mask = try context.compute(.operation(.isEqual, x, y), of: [gradient, input, result])
      let extremeCount = try context.add(
        ReduceAxesOperator(.sum, axes: axes, keepsAxes: true), mask)
      return try context.compute(
        .operand(0) * .operand(1) / .operand(2), of: [gradient, mask, extremeCount])
    case .indexOfMaximum, .indexOfMinimum: return nil
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
