import Engine
import Layers

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
    /// How many cases its tests run.
    public let sampleCount: Int
    /// Whether its inputs have gradients, so that layers in front of it can be trained.
    public let isDifferentiable: Bool
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
  public init(_ catalog: LayerCatalog) {
    families = catalog.families.map { family in
      Family(
        name: family.name,
        layers: family.layers.compactMap { layer in
          guard let field = layer.declaration.specification else { return nil }
          return Entry(
            specification: field, name: layer.declaration.name,
            summary: layer.declaration.summary, sampleCount: layer.samples.count,
            isDifferentiable: layer is any DifferentiableLayer.Type)
        })
    }.filter { !$0.layers.isEmpty }
  }

  /// How many layers there are.
  public var count: Int { families.reduce(0) { $0 + $1.layers.count } }

  /// The page `Documentation/Support.md`.
  public var markdown: String {
    var text = """
      # Supported layers

      Written by `make docs` out of the layer catalogue; the tests check that it is up to date.
      Atelier computes these \(count) layers of Core ML's NeuralNetwork specification. Those with a
      gradient can stand in networks that are trained.

      """
    for family in families {
      text += "\n## \(family.name)\n\n| layer | what it computes | gradient |\n|---|---|---|\n"
      for layer in family.layers {
        let summary: String = layer.summary.split(separator: "|").joined(separator: "\\|")
        let gradient: String = layer.isDifferentiable ? "yes" : ""
        text += "| `\(layer.specification)` | \(summary) | \(gradient) |\n"
      }
    }
    return text
  }
}
