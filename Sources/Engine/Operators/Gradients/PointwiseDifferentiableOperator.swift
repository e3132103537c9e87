import Graph

/// A pointwise operator whose gradients are pointwise too.
public protocol PointwiseDifferentiableOperator: PointwiseOperator, DifferentiableOperator {
  /// The gradient of an input as a formula of that of the output (`dy`), of the inputs (`x`) and of
  /// the output (`y`), before what was broadcast is summed up; nil where it is zero everywhere.
  ///
  /// Rules prefer `y`: where it alone is read, `x` need not be kept, and the operator still fuses into
  /// what stands before it.
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
      let whole = try context.compute(formula, of: values, like: context.output)
      return try context.unbroadcast(whole, to: context.shape(of: context.inputs[input]))
    }
  }
}

/// A pointwise operator whose output moves in steps: its gradient is zero wherever it has one.
public protocol SteppingOperator: PointwiseDifferentiableOperator {}

extension SteppingOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? { nil }
}
