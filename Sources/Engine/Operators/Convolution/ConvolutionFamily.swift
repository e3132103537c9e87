import Graph

extension OperatorFamily {
  /// Convolutions over two or three spatial dimensions.
  public static let convolution = OperatorFamily(
    "Convolution",
    [
      ConvolutionOperator.self, Convolution3DOperator.self, ConvolutionWeightsGradientOperator.self,
      ByteConvolutionOperator.self,
    ])
}
