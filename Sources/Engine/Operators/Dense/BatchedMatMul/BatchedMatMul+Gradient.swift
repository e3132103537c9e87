import Graph

extension BatchedMatMulOperator: DifferentiableOperator {
  /// Adds the gradients of `y = a × b`: `∂a = ∂y × bᵀ` and `∂b = aᵀ × ∂y`. If an input was broadcast, its gradient is
  /// summed over the broadcast axes.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    if multipliesRows { return try context.gradientsOfRows() }
    let gradient = context.outputGradient
    let shapes: [Shape] = context.inputs.map { context.shape(of: $0) }
    let left = try context.reshape(
      context.inputs[0], to: shapes[0].rank == 1 ? [1, shapes[0][0]] : shapes[0])
    let right = try context.reshape(
      context.inputs[1], to: shapes[1].rank == 1 ? [shapes[1][0], 1] : shapes[1])
    func finish(_ matrixProduct: Graph.ValueID, _ input: Int, _ matrix: Graph.ValueID) throws
      -> Graph.ValueID
    {
      let summed = try context.unbroadcast(matrixProduct, to: context.shape(of: matrix))
      return try context.reshape(summed, to: shapes[input])
    }
    var result = context.nothing
    if context.isWanted[0] {
      let matrixProduct =
        transposesLeft
        ? try context.add(
          BatchedMatMulOperator(transposesLeft: transposesRight, transposesRight: true), right,
          gradient)
        : try context.add(BatchedMatMulOperator(transposesRight: !transposesRight), gradient, right)
      result[0] = try finish(matrixProduct, 0, left)
    }
    if context.isWanted[1] {
      let matrixProduct =
        transposesRight
        ? try context.add(
          BatchedMatMulOperator(transposesLeft: true, transposesRight: transposesLeft), gradient,
          left)
        : try context.add(BatchedMatMulOperator(transposesLeft: !transposesLeft), left, gradient)
      result[1] = try finish(matrixProduct, 1, right)
    }
    return result
  }
}
