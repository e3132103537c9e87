import Engine
import Operators

/// The layers that are supported, from the catalogue.
public struct LayerListing: Encodable, Sendable {
  /// A layer.
  public struct Entry: Encodable, Sendable {
    /// The field of the specification: `convolution`.
    public let specification: String
    /// The layer's name.
    public let name: String
    /// One line: what it computes.
    public let summary: String
    /// Whether its inputs have gradients, so that layers in front of it can be trained.
    public let isDifferentiable: Bool

    /// The entry of a layer.
    init(_ layer: ReadableLayer) {
      specification = layer.field
      name = layer.declaration.name
      summary = layer.declaration.summary
      isDifferentiable = layer.type is any DifferentiableOperator.Type
    }
  }

  /// A family of layers.
  public struct Family: Encodable, Sendable {
    /// Its name.
    public let name: String
    /// Its layers that models may use.
    public let layers: [Entry]
  }

  /// The families.
  public let families: [Family]

  /// Lists a catalogue.
  public init(_ catalog: OperatorCatalog) {
    let layers: [ReadableLayer] = catalog.readableLayers
    families = catalog.families.map { family in
      Family(name: family.name, layers: layers.filter { $0.family == family.name }.map(Entry.init))
    }.filter { !$0.layers.isEmpty }
  }

  /// How many layers there are.
  public var count: Int { families.reduce(0) { $0 + $1.layers.count } }
}
