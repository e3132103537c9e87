extension Graph {
  /// How a picture becomes a tensor at the network's border, or a tensor a picture.
  ///
  /// A sample `v` of 0…255 becomes `scale[c] · v + bias[c]` on the way in, which is the scaler of
  /// `NeuralNetworkPreprocessing`; on the way out samples are rounded and clamped to 0…255.
  public struct ImagePort: Sendable, Hashable {
    /// The order of the tensor's channels.
    public enum ColorOrder: Sendable, Hashable {
      case rgb
      case bgr
      case gray
    }

    /// The order of the tensor's channels.
    public var order: ColorOrder
    /// The factor of each channel, in the tensor's order.
    public var scale: [Float]
    /// What is added to each channel, in the tensor's order.
    public var bias: [Float]

    /// A port; samples pass unchanged unless told otherwise.
    public init(_ order: ColorOrder, scale: [Float]? = nil, bias: [Float]? = nil) {
      self.order = order
      self.scale = scale ?? [Float](repeating: 1, count: order == .gray ? 1 : 3)
      self.bias = bias ?? [Float](repeating: 0, count: order == .gray ? 1 : 3)
    }

    /// The number of channels of the tensor.
    public var channels: Int { order == .gray ? 1 : 3 }
  }
}
