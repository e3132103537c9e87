/// A trainable parameter of a style network.
public struct StyleParameter: Sendable, Hashable {
  /// The role of a parameter in its layer.
  public enum Role: String, Sendable, Hashable {
    /// A convolution's weights, `[output channels, input channels, height, width]`.
    case weights
    /// A convolution's bias, one number per channel.
    case bias
    /// A norm's scales, one per channel, or `[channels, styles, 1, 1]` if the network has several styles.
    case gamma
    /// A norm's offsets, one per channel, or `[channels, styles, 1, 1]` if the network has several styles.
    case beta
  }

  /// The name of the parameter's layer in the model.
  public let layer: String
  /// The role of the parameter in the layer.
  public let role: Role
  /// The extents of the parameter.
  public let shape: [Int]

  /// Creates a parameter.
  public init(layer: String, role: Role, shape: [Int]) {
    self.layer = layer
    self.role = role
    self.shape = shape
  }

  /// Whether this is a scale or an offset of a norm.
  public var isOfNorm: Bool { role == .gamma || role == .beta }

  /// The number of elements.
  public var count: Int { shape.reduce(1, *) }

  /// The name of the parameter in error messages, such as `encode1.weights`.
  public var name: String { "\(layer).\(role.rawValue)" }
}
