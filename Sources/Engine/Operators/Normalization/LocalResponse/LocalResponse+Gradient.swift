import Graph

extension LocalResponseNormalizationOperator: DifferentiableOperator {
  /// Adds operators that compute `∂x = ∂y · b^−β − 2αβ/n · x · Σ(∂y · x · b^(−β − 1))`. `b = k + α/n · Σ x²` is the
  /// base of the power in the forward formula, where `n` is ``size``. For each channel, the sum in `∂x` is over the
  /// channels whose windows contain this channel.
  ///
  /// The sum in `b` and the sum in `∂x` are both computed by 1 × 1 convolutions with a band matrix.
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    let (input, gradient) = (context.inputs[0], context.outputGradient)
    let channels: Int = context.shape(of: input)[-3]
    let (dy, x, b, sum): (Formula, Formula, Formula, Formula) = (
      .operand(0), .operand(1), .operand(2), .operand(3)
    )
    let squares = try context.compute(x * x, of: [gradient, input])
    let sums = try addWindow(channels, squares, isTransposed: false, &context)
    let share: Float = alpha / Float(size)
    let base: Formula = b * .number(share) + .number(k)
    let products = try context.compute(
      dy * x * .power(base, -beta - 1), of: [gradient, input, sums])
    let spread = try addWindow(channels, products, isTransposed: true, &context)
    let result: Formula = dy * .power(base, -beta) - x * sum * .number(2 * share * beta)
    return [try context.compute(result, of: [gradient, input, sums, spread])]
  }

  /// Adds an operator that sums `values`, for each channel, over the channel's window. If `isTransposed` is true, the
  /// sum is instead over the channels whose windows contain the channel.
  private func addWindow(
    _ channels: Int, _ values: Graph.ValueID, isTransposed: Bool, _ context: inout GradientContext
  ) throws -> Graph.ValueID {
    var band = [Double](repeating: 0, count: channels * channels)
    for channel in 0..<channels {
      let low: Int = max(channel - size / 2, 0)
      let high: Int = min(channel + (size - 1) / 2, channels - 1)
      for neighbour in low...high {
        band[isTransposed ? neighbour * channels + channel : channel * channels + neighbour] = 1
      }
    }
    let weights = context.constant(ReferenceTensor([channels, channels, 1, 1], band))
    return try context.add(
      ConvolutionOperator(
        outputChannels: channels, kernelChannels: channels, kernel: ConvolutionOperator.Pair(1, 1)),
      values, weights)
  }
}
