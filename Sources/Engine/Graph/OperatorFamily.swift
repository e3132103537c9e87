/// A group of related operators; lists the types that live in its folder.
public struct OperatorFamily: Sendable {
  /// The family's name, that of its folder.
  public let name: String
  /// Its operators, in the order of listings.
  public let layers: [any Operator.Type]

  /// A family.
  public init(_ name: String, _ layers: [any Operator.Type]) {
    self.name = name
    self.layers = layers
  }
}
