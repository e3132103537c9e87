import Graph

/// A convolution of bytes with 8-bit weights. For each output channel `o`, the operator sums in integers over the
/// channels `i` and the kernel elements `(ky, kx)`:
///
///     Σ w[o, i, ky, kx] · (in[n, i, …] − zero)
///
/// Then the operator adds a bias to the sum, multiplies by a factor and applies the ``ByteEpilogue``. Pixels outside
/// the image have the value ``zero``.
///
/// - Inputs: the image `[…, C, H, W]`, integers from 0 to 255; the weights, integers from −128 to 127, in the layout of
///   ``ConvolutionOperator``; the factors `[O]` and the biases `[O]`, one of each per output channel.
/// - Output: bytes if the epilogue quantises the results, otherwise real numbers.
/// - Edge rules: the operator rounds inputs to integers and clips them to the ranges above.
/// - Errors: those of ``ConvolutionOperator``.
///
/// The pass ``MultiplyBytes`` adds this operator to a graph. No model file contains it.
///
/// **Source:** Jacob et al., arXiv:1712.05877.
public struct ByteConvolutionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ByteConvolution", summary: "a convolution of quantised 8-bit values with integer sums")

  /// The window, strides, padding and channels of the convolution. No other operator is fused into this convolution.
  /// Its `hasBias` is false, because `ByteConvolutionOperator` always reads a bias.
  public var convolution: ConvolutionOperator
  /// The byte that represents the real number 0: the zero point.
  public var zero: Int
  /// The operations that follow the bias and the factor.
  public var epilogue: ByteEpilogue

  /// Creates a convolution of bytes with the window, strides, padding and channels of a convolution of real numbers.
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
