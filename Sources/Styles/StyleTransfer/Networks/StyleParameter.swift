/// Numbers of a style network that training changes.
public struct StyleParameter: Sendable, Hashable {
  /// What the numbers are to their layer.
  public enum Role: String, Sendable, Hashable {
    /// A convolution's weights, `[out, in, height, width]`.
    case weights
    /// A convolution's bias, one number a channel.
    case bias
    /// A norm's factors, one a channel.
    case gamma
    /// A norm's shifts, one a channel.
    case beta
  }

  /// The layer's name in the model.
  public let layer: String
  /// What the numbers are to it.
  public let role: Role
  /// Their extents.
  public let shape: [Int]

  /// A parameter.
  public init(layer: String, role: Role, shape: [Int]) {
    self.layer = layer
    self.role = role
    self.shape = shape
  }

  /// How many numbers there are.
  public var count: Int { shape.reduce(1, *) }

  /// For errors: `encode1.weights`.
  public var name: String { "\(layer).\(role.rawValue)" }
}
