import Engine

extension LayerFamily {
  /// Convolutions over two and three dimensions.
  public static let convolution = LayerFamily(
    "Convolution",
    [ConvolutionLayer.self, Convolution3DLayer.self, ConvolutionWeightsGradientLayer.self])
}
