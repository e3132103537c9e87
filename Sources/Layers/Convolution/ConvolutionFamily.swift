import Engine

extension LayerFamily {
  /// Convolutions over two dimensions.
  public static let convolution = LayerFamily("Convolution", [ConvolutionLayer.self])
}
