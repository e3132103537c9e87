import Graph

extension BatchNormOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    if case .given = statistics { return try givenGradients(&context) }
    let operation = BatchNormGradientOperator(
      channels: channels, isInstanceNormalization: isInstanceNormalization, hasGamma: true,
      epsilon: epsilon)
    let results = try context.add(
      operation, to: [context.inputs[0], context.outputGradient, context.inputs[1]], outputs: 3)
    return try finish(&context, results)
  }

  /// Adds the gradients of a norm whose statistics are inputs. Such a norm only multiplies by a factor and adds a shift
  /// per channel.
  private func givenGradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = [channels, 1, 1]
    let parameters: [Graph.ValueID] = try context.inputs[parameterInputs].map {
      try context.reshape($0, to: shape)
    }
    let (gamma, mean, variance) = (parameters[0], parameters[2], parameters[3])
    let gradient = context.outputGradient
    let inverse = try context.compute(
      1 / .function(.squareRoot, .operand(0) + .number(epsilon)), of: [variance])
    let scale = try context.compute(.operand(0) * .operand(1), of: [gamma, inverse])
    let source = try context.compute(.operand(0) * .operand(1), of: [gradient, scale])
    var results: [Graph.ValueID?] = [source, nil, nil, nil, nil]
    let centred: Formula = .operand(1) - .operand(2)
    if context.isWanted[1] {
      let products = try context.compute(
        .operand(0) * (centred * .operand(3)), of: [gradient, context.inputs[0], mean, inverse])
      results[1] = try context.unbroadcast(products, to: shape)
    }
    if context.isWanted[2] { results[2] = try context.unbroadcast(gradient, to: shape) }
    if context.isWanted[3] {
      results[3] = try context.unbroadcast(
        try context.compute(.operand(0) * .number(-1), of: [source]), to: shape)
    }
    if context.isWanted[4] {
      let slope: Formula = .operand(3) * .operand(4) * .operand(4) * .number(-0.5)
      let products = try context.compute(
        .operand(0) * centred * slope, of: [gradient, context.inputs[0], mean, scale, inverse])
      results[4] = try context.unbroadcast(products, to: shape)
    }
    return try finish(&context, results)
  }

  /// Reshapes each gradient to the shape of its input.
  private func finish(_ context: inout GradientContext, _ results: [Graph.ValueID?]) throws
    -> [Graph.ValueID?]
  {
    try zip(context.inputs, results).map { input, gradient in
      try gradient.map { try context.reshape($0, to: context.shape(of: input)) }
    }
  }
}
