import Graph

// A normalisation that computes its statistics from its input equals an instance norm of the reshaped input. So the
// rules below use the gradient operator of the instance norm.

extension MeanVarianceNormalizeOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let shape: Shape = context.shape(of: context.inputs[0])
    guard normalizesVariance else {
      let axes: [Int] = acrossChannels ? [-3, -2, -1] : [-2, -1]
      let mean = try context.add(
        ReduceAxesOperator(.mean, axes: axes, keepsAxes: true), context.outputGradient)
      return [
        try context.compute(.operand(0) - .operand(1), of: [context.outputGradient, mean])
      ]
    }
    let map = FeatureMap(ofRankThreeOrMore: shape)
    let view: Shape =
      acrossChannels ? [map.batch, 1, map.channels * map.height, map.width] : shape
    return [
      try context.normGradient(context.outputGradient, as: view, epsilon: epsilon)
    ]
  }
}

extension LayerNormalizationOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let (input, gradient) = (context.inputs[0], context.outputGradient)
    var result: [Graph.ValueID?] = context.nothing
    if let gammaInput, context.isWanted[gammaInput] {
      let unit = try context.add(
        LayerNormalizationOperator(normalizedShape: normalizedShape, epsilon: epsilon), input)
      let products = try context.compute(.operand(0) * .operand(1), of: [gradient, unit])
      result[gammaInput] = try context.unbroadcast(products, to: normalizedShape)
    }
    if let betaInput, context.isWanted[betaInput] {
      result[betaInput] = try context.unbroadcast(gradient, to: normalizedShape)
    }
    guard context.isWanted[0] else { return result }
    var scaled = gradient
    if let gammaInput {
      scaled = try context.compute(
        .operand(0) * .operand(1), of: [gradient, context.inputs[gammaInput]])
    }
    let (count, length) = (context.shape(of: input).count, normalizedShape.count)
    result[0] = try context.normGradient(
      scaled, as: [count / length, 1, 1, length], epsilon: epsilon)
    return result
  }
}

extension L2NormalizeOperator: DifferentiableOperator {
  /// Adds operators that compute `∂x = (∂y − y · Σ(∂y · y)) / √(Σ x² + ε)`. The sums are over the channels and pixels
  /// of one sample.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    let axes: [Int] = [-3, -2, -1]
    let products = try context.compute(.operand(0) * .operand(1), of: [gradient, context.output])
    let sum = try context.add(ReduceAxesOperator(.sum, axes: axes, keepsAxes: true), products)
    let squares = try context.add(
      ReduceAxesOperator(.sumOfSquares, axes: axes, keepsAxes: true), context.inputs[0])
    let inverse = try context.compute(
      1 / .function(.squareRoot, .operand(0) + .number(epsilon)), of: [squares])
    return [
      try context.compute(
        (.operand(0) - .operand(1) * .operand(2)) * .operand(3),
        of: [gradient, context.output, sum, inverse])
    ]
  }
}

extension GradientContext {
  /// Reshapes the first input and `gradient` to `view`, and adds the gradient of an instance norm of the reshaped
  /// input. The result has the first input's shape.
  fileprivate mutating func normGradient(
    _ gradient: Graph.ValueID, as view: Shape, epsilon: Float
  ) throws -> Graph.ValueID {
    let input: Shape = shape(of: inputs[0])
    let operation = BatchNormGradientOperator(
      channels: view[-3], isInstanceNormalization: true, epsilon: epsilon)
    let (x, dy) = (try reshape(inputs[0], to: view), try reshape(gradient, to: view))
    return try reshape(try add(operation, to: [x, dy], outputs: 3)[0], to: input)
  }
}
