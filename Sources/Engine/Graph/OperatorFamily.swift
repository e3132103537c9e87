/// A group of related operators, whose types are in one folder.
public struct OperatorFamily: Sendable {
  /// The family's name, which is also the name of the folder.
  public let name: String
  /// The types of the operators, in the order of listings.
  public let layers: [any Operator.Type]

  /// Creates a family.
  public init(_ name: String, _ layers: [any Operator.Type]) {
    self.name = name
    self.layers = layers
  }
}
