import Graph

extension OperatorFamily {
  /// Convolutions over two and three dimensions.
  public static let convolution = OperatorFamily(
    "Convolution",
    [
      ConvolutionOperator.self, Convolution3DOperator.self, ConvolutionWeightsGradientOperator.self,
      ByteConvolutionOperator.self,
    ])
}
