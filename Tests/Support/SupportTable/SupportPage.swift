import Engine
import OperatorSamples
import Operators

/// The page `Documentation/Support.md`: which layers are supported, and how they are tested.
struct SupportPage {
  /// A line of a table.
  private struct Row {
    let layer: ReadableLayer
    /// How many cases its tests run.
    let sampleCount: Int
    /// The fast kernels that its cases may run on, best first; the reference stands after them.
    let kernels: [String]
  }

  private let families: [(name: String, rows: [Row])]
  private let programs: ProgramTable
  private let exercised: ExercisedLayers

  /// The page of a catalogue.
  init(_ catalog: OperatorCatalog, exercised: ExercisedLayers, run: ConformanceRun) {
    let layers: [ReadableLayer] = catalog.readableLayers
    families = catalog.families.map { family in
      let rows: [Row] = layers.filter { $0.family == family.name }.map { layer in
        let samples: [OperatorSample] = catalog.samples(of: layer)
        return Row(
          layer: layer, sampleCount: samples.count,
          kernels: Self.kernels(of: samples, in: catalog))
      }
      return (family.name, rows)
    }.filter { !$0.rows.isEmpty }
    var kernels: [ObjectIdentifier: [String]] = [:]
    for row in families.flatMap(\.rows) {
      let key = ObjectIdentifier(row.layer.type)
      kernels[key, default: []] += row.kernels.filter { kernels[key]?.contains($0) != true }
    }
    programs = ProgramTable(.standard, kernels: kernels, exercised: exercised, run: run)
    self.exercised = exercised
  }

  /// The names of all kernels that samples offer.
  private static func kernels(of samples: [OperatorSample], in catalog: OperatorCatalog) -> [String]
  {
    var names: [String] = []
    for sample in samples where sample.failure == nil {
      let context = NetworkContext(mapping: sample.mapping, catalog: catalog)
      // A custom layer's class is not here.
      guard let decoded = try? catalog.layer(for: sample.layer, in: context) else { continue }
      for kernel in decoded.operation.candidates where !names.contains(kernel.name) {
        names.append(kernel.name)
      }
    }
    return names
  }

  /// The page as Markdown.
  var markdown: String {
    let count: Int = families.reduce(0) { $0 + $1.rows.count }
    var text = """
      # Supported layers and operations

      Written by `make docs` out of the catalogues; the tests check that it is up to date. First the layers of
      neural networks, then [the operations of ML Programs](#operations-of-ml-programs).

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
      for row in family.rows { text += line(row) }
    }
    return text + programs.markdown
  }

  private func line(_ row: Row) -> String {
    let type: any Operator.Type = row.layer.type
    let summary: String = row.layer.declaration.summary.split(separator: "|")
      .joined(separator: "\\|")
    let kernels: String = row.kernels.isEmpty ? "reference" : row.kernels.joined(separator: ", ")
    let gradient: String = type is any DifferentiableOperator.Type ? "yes" : ""
    let cells: [String] = [
      "`\(row.layer.field)`", summary, kernels, gradient, "\(row.sampleCount)",
      exercised.cell(row.layer.field),
    ]
    return "| \(cells.joined(separator: " | ")) |\n"
  }
}
