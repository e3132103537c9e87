import Graph

/// A pointwise operator with pointwise gradients.
public protocol PointwiseDifferentiableOperator: PointwiseOperator, DifferentiableOperator {
  /// Returns a formula for the gradient of an input. The formula may read the output's gradient (`dy`), the inputs
  /// (`x`) and the output (`y`). The caller sums the result over broadcast axes. Returns nil if the gradient is zero
  /// everywhere.
  ///
  /// Where possible, rules read `y` instead of `x`. If a rule does not read `x`, `x` need not be stored for the
  /// backward pass, and the operator can still be fused into the operator that computes `x`.
  func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula?
}

extension PointwiseDifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let count: Int = context.inputs.count
    let values: [Graph.ValueID] = [context.outputGradient] + context.inputs + [context.output]
    let x: [Formula] = (1...count).map { Formula.operand($0) }
    return try (0..<count).map { (input: Int) -> Graph.ValueID? in
      guard context.isWanted[input],
        let formula = pullback(.operand(0), to: input, x: x, y: .operand(count + 1))
      else { return nil }
      let broadcast = try context.compute(formula, of: values, like: context.output)
      return try context.unbroadcast(broadcast, to: context.shape(of: context.inputs[input]))
    }
  }
}

/// A pointwise operator with piecewise constant output. The gradient of the operator is zero wherever it exists.
public protocol SteppingOperator: PointwiseDifferentiableOperator {}

extension SteppingOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? { nil }
}
