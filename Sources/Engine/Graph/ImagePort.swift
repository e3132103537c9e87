extension Graph {
  /// The conversion between an image and a tensor, at an input or output of the network.
  ///
  /// At an input, a sample `v` from 0 to 255 becomes `scale[c] · v + bias[c]`, like the scaler of
  /// `NeuralNetworkPreprocessing`. At an output, the tensor's elements are rounded and clamped to 0…255.
  public struct ImagePort: Sendable, Hashable {
    /// The order of the tensor's channels.
    public enum ColorOrder: Sendable, Hashable {
      case rgb
      case bgr
      case gray
    }

    /// The order of the tensor's channels.
    public var order: ColorOrder
    /// The factor for each channel, in the order of the tensor's channels.
    public var scale: [Float]
    /// The offset for each channel, in the order of the tensor's channels.
    public var bias: [Float]

    /// Creates a port. By default it does not change samples.
    public init(_ order: ColorOrder, scale: [Float]? = nil, bias: [Float]? = nil) {
      self.order = order
      self.scale = scale ?? [Float](repeating: 1, count: order == .gray ? 1 : 3)
      self.bias = bias ?? [Float](repeating: 0, count: order == .gray ? 1 : 3)
    }

    /// The number of channels of the tensor.
    public var channels: Int { order == .gray ? 1 : 3 }
  }
}
