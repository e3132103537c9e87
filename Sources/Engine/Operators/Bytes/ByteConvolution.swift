import Graph

/// A convolution of bytes with weights of 8 bits, summed up in whole numbers:
///
///     Σ w[o, i, ky, kx] · (in[n, i, …] − zero)
///
/// then a bias and a factor, and ``ByteEpilogue``. What stands around the picture is `zero`.
///
/// - Inputs: the picture `[…, C, H, W]`, whole numbers of 0 to 255; weights, whole numbers of −128 to 127, as
///   ``ConvolutionOperator`` has them; a factor and a bias a channel, `[O]` each.
/// - Output: bytes where the epilogue makes codes, else real numbers.
/// - Edge rules: what is no whole number of the range is rounded and kept to it.
/// - Errors: those of the convolution.
///
/// Made by ``MultiplyBytes``; no model holds it.
///
/// **Source:** Jacob et al., arXiv:1712.05877.
public struct ByteConvolutionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ByteConvolution", summary: "a convolution of codes of 8 bits, summed up in whole numbers")

  /// Window, strides, padding and channels; nothing fused, no bias.
  public var convolution: ConvolutionOperator
  /// The byte that stands for 0.
  public var zero: Int
  /// What happens to the sums.
  public var epilogue: ByteEpilogue

  /// A convolution of bytes in the place of one of real numbers.
  public init(_ convolution: ConvolutionOperator, zero: Int, epilogue: ByteEpilogue) {
    self.convolution = convolution
    self.convolution.hasBias = false
    self.zero = zero
    self.epilogue = epilogue
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try OperatorInput.requireFactors(inputs, channels: convolution.outputChannels)
    return try convolution.outputTypes(for: Array(inputs.prefix(2)))
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = try convolution.reference([inputs[0].bytes(less: zero), inputs[1]])[0]
    let area: Int = result.shape[-1] * result.shape[-2]
    for index in result.values.indices {
      let channel: Int = index / area % convolution.outputChannels
      result.values[index] = epilogue(
        inputs[2].values[channel] * (result.values[index] + inputs[3].values[channel]))
    }
    return [result]
  }
}
