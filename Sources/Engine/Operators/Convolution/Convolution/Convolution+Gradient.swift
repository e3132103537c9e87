import Graph

extension ConvolutionOperator: DifferentiableOperator {
  /// The gradient of the input is the transposed convolution with the same weights (for a transposed
  /// one the plain convolution): the weights of both lie alike. That of the
  /// weights is an operator of its own, that of the bias a sum over batch and pixels.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    // Differentiation comes before passes.
    guard !hasJoinedParts else {
      throw context.unsupported("A convolution with parts of other layers")
    }
    let gradient = context.outputGradient
    let (input, output) = (context.shape(of: context.inputs[0]), context.shape(of: context.output))
    let geometry = try Geometry(self, height: input[-2], width: input[-1])
    var result = [Graph.ValueID?](repeating: nil, count: context.inputs.count)
    if context.isWanted[0] {
      let from: Graph.ValueID =
        isDeconvolution ? try reachable(gradient, input, geometry, &context) : gradient
      let operation = transposed(input, context.shape(of: from), geometry)
      result[0] = try context.add(operation, from, context.inputs[1])
    }
    if context.isWanted[1] {
      let operation = ConvolutionWeightsGradientOperator(
        weightShape: weightShape, groups: groups, stride: stride, dilation: dilation,
        top: geometry.top, left: geometry.left)
      let (large, small) =
        isDeconvolution ? (gradient, context.inputs[0]) : (context.inputs[0], gradient)
      result[1] = try context.add(operation, large, small)
    }
    if let biasInput, context.isWanted[biasInput] {
      let axes: [Int] = (0..<output.rank).filter { $0 != output.rank - 3 }
      let sum = try context.add(ReduceAxesOperator(.sum, axes: axes, keepsAxes: false), gradient)
      result[biasInput] = try context.reshape(sum, to: context.shape(of: context.inputs[biasInput]))
    }
    return result
  }

  /// The convolution that carries a gradient of the given shape back to the input's.
  private func transposed(_ input: Shape, _ gradient: Shape, _ geometry: Geometry)
    -> ConvolutionOperator
  {
    let bottom: Int =
      (input[-2] - 1) * stride.height + window.height - gradient[-2] - geometry.top
    let right: Int = (input[-1] - 1) * stride.width + window.width - gradient[-1] - geometry.left
    return ConvolutionOperator(
      outputChannels: inputChannels,
      kernelChannels: isDeconvolution ? outputChannels / groups : outputChannels, groups: groups,
      kernel: kernel, stride: stride, dilation: dilation,
      padding: isDeconvolution
        ? .valid(top: geometry.top, left: geometry.left, bottom: bottom, right: right)
        : .valid(top: geometry.top, left: geometry.left, bottom: 0, right: 0),
      isDeconvolution: !isDeconvolution,
      outputShape: isDeconvolution ? nil : Pair(input[-2], input[-1]))
  }

  /// The gradient without the rows and columns of a transposed convolution's output that no input
  /// pixel reaches.
  private func reachable(
    _ gradient: Graph.ValueID, _ input: Shape, _ geometry: Geometry,
    _ context: inout GradientContext
  ) throws -> Graph.ValueID {
    let shape = context.shape(of: gradient)
    let natural = Pair(
      (input[-2] - 1) * stride.height + window.height - geometry.top,
      (input[-1] - 1) * stride.width + window.width - geometry.left)
    let (below, beside) = (shape[-2] - natural.height, shape[-1] - natural.width)
    guard below > 0 || beside > 0 else { return gradient }
    return try context.add(
      CropOperator(
        amounts: EdgeAmounts(bottom: max(0, below), right: max(0, beside))),
      gradient)
  }
}
