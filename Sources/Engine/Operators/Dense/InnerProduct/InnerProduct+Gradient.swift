import Graph

extension InnerProductOperator: DifferentiableOperator {
  /// With the samples as rows: `∂x = ∂y × W`, `∂W = ∂yᵀ × x`, `∂b` the sum of the rows of `∂y`.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    precondition(activation == nil, "differentiation comes before fusing")
    let input: Shape = context.shape(of: context.inputs[0])
    let count: Int = input.count / inputChannels
    let gradient = try context.reshape(context.outputGradient, to: [count, outputChannels])
    var result = context.nothing
    if context.isWanted[0] {
      let matrix =
        weights == nil
        ? context.inputs[1]
        : context.constant(
          ReferenceTensor(
            [outputChannels, inputChannels], try weights?.doubles() ?? []))
      let product = try context.add(BatchedMatMulOperator(), gradient, matrix)
      result[0] = try context.reshape(product, to: input)
    }
    if weights == nil, context.isWanted[1] {
      let rows = try context.reshape(context.inputs[0], to: [count, inputChannels])
      result[1] = try context.add(BatchedMatMulOperator(transposesLeft: true), gradient, rows)
    }
    if takesBiasInput, context.isWanted[context.inputs.count - 1] {
      let sum = try context.add(ReduceAxesOperator(.sum, axes: [0], keepsAxes: false), gradient)
      result[context.inputs.count - 1] = sum
    }
    return result
  }
}
