import Graph

extension InnerProductOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.gradientsOfRows()
  }
}

extension GradientContext {
  /// Adds the gradients of `y = W x + b` with respect to three values: `x`, the matrix `W` of shape `[columns, inner]`
  /// and, if there is one, the bias `b`. With one sample per row of the matrices `x` and `y`, `∂x = ∂y × W` and
  /// `∂W = ∂yᵀ × x`. `∂b` is the sum of the rows of `∂y`.
  package mutating func gradientsOfRows() throws -> [Graph.ValueID?] {
    let (input, matrix) = (shape(of: inputs[0]), shape(of: inputs[1]))
    let count: Int = input.count / matrix[1]
    let gradient = try reshape(outputGradient, to: [count, matrix[0]])
    var result = nothing
    if isWanted[0] {
      result[0] = try reshape(try add(BatchedMatMulOperator(), gradient, inputs[1]), to: input)
    }
    if isWanted[1] {
      let rows = try reshape(inputs[0], to: [count, matrix[1]])
      result[1] = try add(BatchedMatMulOperator(transposesLeft: true), gradient, rows)
    }
    if inputs.count > 2, isWanted[2] {
      let sum = try add(ReduceAxesOperator(.sum, axes: [0], keepsAxes: false), gradient)
      result[2] = try reshape(sum, to: shape(of: inputs[2]))
    }
    return result
  }
}
