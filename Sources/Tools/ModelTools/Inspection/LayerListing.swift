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
    /// How many cases its tests run.
    public let sampleCount: Int
    /// Whether its inputs have gradients, so that layers in front of it can be trained.
    public let isDifferentiable: Bool
    /// The fast kernels that its cases may run on, best first; the reference stands behind them.
    public let kernels: [String]
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
    families = catalog.families.map { family in
      Family(
        name: family.name,
        layers: catalog.entries(of: family).map { layer in
          Entry(
            specification: layer.field, name: layer.declaration.name,
            summary: layer.declaration.summary, sampleCount: catalog.samples(of: layer).count,
            isDifferentiable: layer.type is any DifferentiableOperator.Type,
            kernels: Self.kernels(of: layer, in: catalog))
        })
    }.filter { !$0.layers.isEmpty }
  }

  /// How many layers there are.
  public var count: Int { families.reduce(0) { $0 + $1.layers.count } }

  /// The names of all kernels that a layer's samples offer.
  private static func kernels(of entry: OperatorCatalog.Entry, in catalog: OperatorCatalog)
    -> [String]
  {
    var names: [String] = []
    for sample in catalog.samples(of: entry) where sample.failure == nil {
      let context = NetworkContext(mapping: sample.mapping, catalog: catalog)
      // A custom layer's class is not here.
      guard let layer = try? catalog.layer(for: sample.layer, in: context).operation as? any KernelProvider
      else { continue }
      for kernel in layer.kernels where !names.contains(kernel.name) { names.append(kernel.name) }
    }
    return names
  }

  /// The page `Documentation/Support.md`.
  public func markdown(_ exercised: ExercisedLayers?) -> String {
    var text = """
      # Supported layers

      Written by `make docs` out of the layer catalogue; the tests check that it is up to date.
      Atelier computes these \(count) layers of Core ML's NeuralNetwork specification. Those with a
      gradient can stand in networks that are trained.

      The reference, plain loops in `Double`, stands behind the kernels of every layer; the kernels are
      tested against it, and it against known answers, on as many samples as the column says. The last
      column counts the cases of coremltools' own tests that predict with such a layer and pass, with the
      files that have most of them; `Python/conformance/README.md` says which groups were counted. Where there
      are none, `ours/` is `Python/tests`, against ONNX Runtime and NumPy; custom layers have
      `CustomLayerTests`.

      """
    for family in families {
      text += "\n## \(family.name)\n\n"
      text += "| layer | what it computes | kernels | gradient | samples | coremltools' tests |\n"
      text += "|---|---|---|---|--:|---|\n"
      for layer in family.layers {
        let summary: String = layer.summary.split(separator: "|").joined(separator: "\\|")
        let kernels: String =
          layer.kernels.isEmpty ? "reference" : layer.kernels.joined(separator: ", ")
        let gradient: String = layer.isDifferentiable ? "yes" : ""
        let tests: String = exercised?.cell(layer.specification) ?? ""
        let cells: [String] = [
          "`\(layer.specification)`", summary, kernels, gradient, "\(layer.sampleCount)", tests,
        ]
        text += "| \(cells.joined(separator: " | ")) |\n"
      }
    }
    return text
  }
}
