import Graph

extension BatchNormOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    precondition(activation == nil && residual == nil, "differentiation comes before fusing")
    if case .given(let mean, let variance) = statistics {
      return try givenGradients(&context, mean: mean, variance: variance)
    }
    let layer = BatchNormGradientOperator(
      channels: channels, isInstanceNormalization: isInstanceNormalization,
      gamma: takesParameters ? nil : gamma, takesGamma: takesParameters, epsilon: epsilon)
    var inputs: [Graph.ValueID] = [context.inputs[0], context.outputGradient]
    if takesParameters { inputs.append(context.inputs[1]) }
    let made = try context.add(layer, to: inputs, outputs: 3)
    return try finish(&context, made)
  }

  /// With statistics that do not move the layer is a factor and a shift a channel.
  private func givenGradients(
    _ context: inout GradientContext, mean: Weights, variance: Weights
  ) throws -> [Graph.ValueID?] {
    let shape: Shape = [channels, 1, 1]
    let inverse: [Double] = try variance.doubles().map {
      1 / ($0 + Double(epsilon)).squareRoot()
    }
    let deviations = context.constant(ReferenceTensor(shape, inverse))
    let factors: Graph.ValueID
    if takesParameters {
      factors = try context.reshape(context.inputs[1], to: shape)
    } else {
      factors = context.constant(ReferenceTensor(shape, try gammaAndBeta().gamma))
    }
    let gradient = context.outputGradient
    let scale = try context.compute(.operand(0) * .operand(1), of: [factors, deviations])
    var made: [Graph.ValueID] = [
      try context.compute(.operand(0) * .operand(1), of: [gradient, scale])
    ]
    if takesParameters {
      let means = context.constant(ReferenceTensor(shape, try mean.doubles()))
      let unit: Formula = (.operand(1) - .operand(2)) * .operand(3)
      let products = try context.compute(
        .operand(0) * unit, of: [gradient, context.inputs[0], means, deviations])
      made.append(try context.unbroadcast(products, to: shape))
      made.append(try context.unbroadcast(gradient, to: shape))
    }
    return try finish(&context, made)
  }

  /// The gradients of the input, γ and β in the shapes that those have.
  private func finish(_ context: inout GradientContext, _ made: [Graph.ValueID]) throws
    -> [Graph.ValueID?]
  {
    try context.inputs.indices.map { (input: Int) -> Graph.ValueID? in
      try context.reshape(made[input], to: context.shape(of: context.inputs[input]))
    }
  }
}
