import Graph

extension ConvolutionOperator: DifferentiableOperator {
  /// Adds the gradients of input, weights and bias. For a plain convolution, the input's gradient is the transposed
  /// convolution of the output's gradient with the same weights. For a transposed convolution, it is the plain
  /// convolution with the same weights. Plain and transposed convolutions store their weights in the same layout. The
  /// ``ConvolutionWeightsGradientOperator`` computes the gradient of the weights. The gradient of the bias is a sum
  /// over batch and pixels.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let gradient = context.outputGradient
    let (input, output) = (context.shape(of: context.inputs[0]), context.shape(of: context.output))
    let geometry = try Geometry(self, height: input[-2], width: input[-1])
    var result = [Graph.ValueID?](repeating: nil, count: context.inputs.count)
    if context.isWanted[0] {
      let from: Graph.ValueID =
        isDeconvolution ? try croppedToReachable(gradient, input, geometry, &context) : gradient
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

  /// Returns the convolution that computes the input's gradient from an output gradient of the given shape.
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

  /// Crops a transposed convolution's output gradient to the rows and columns that depend on an input pixel.
  private func croppedToReachable(
    _ gradient: Graph.ValueID, _ input: Shape, _ geometry: Geometry,
    _ context: inout GradientContext
  ) throws -> Graph.ValueID {
    let shape = context.shape(of: gradient)
    let natural = Pair(
      (input[-2] - 1) * stride.height + window.height - geometry.top,
      (input[-1] - 1) * stride.width + window.width - geometry.left)
    let (extraRows, extraColumns) = (shape[-2] - natural.height, shape[-1] - natural.width)
    guard extraRows > 0 || extraColumns > 0 else { return gradient }
    return try context.add(
      CropOperator(
        amounts: EdgeAmounts(bottom: max(0, extraRows), right: max(0, extraColumns))),
      gradient)
  }
}
