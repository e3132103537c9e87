import Engine
import OperatorSamples
import Operators

/// The page `Documentation/Support.md`: the supported layers and their tests.
struct SupportPage {
  /// A row of a table.
  private struct Row {
    let layer: ReadableLayer
    /// The number of test cases.
    let sampleCount: Int
    /// The names of the fast kernels that the layer's cases may use. The best kernel is first. The reference kernel is
    /// left out.
    let kernels: [String]
  }

  private let families: [(name: String, rows: [Row])]
  private let programs: ProgramTable
  private let exercised: ExercisedLayers
  private let names: AppleNames

  /// Creates the page for a catalogue.
  init(
    _ catalog: OperatorCatalog, exercised: ExercisedLayers, run: ConformanceRun, names: AppleNames
  ) {
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
    self.names = names
  }

  /// Returns the names of all candidate kernels of the samples.
  private static func kernels(of samples: [OperatorSample], in catalog: OperatorCatalog) -> [String]
  {
    var names: [String] = []
    for sample in samples where sample.failure == nil {
      let context = NetworkContext(mapping: sample.mapping, catalog: catalog)
      // The class of a custom layer is not available here.
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

          atelier layers

      The command prints the layers and operations that Atelier supports, and this page lists them with their tests: first the
      \(count) layers of Core ML's NeuralNetwork specification, then
      [the operations of ML Programs](#operations-of-ml-programs), then the results of
      [coremltools' tests of ML Programs](#coremltools-tests-of-ml-programs), then the
      [types of models](#types-of-models) and [Apple's names](#apples-names). `make docs` writes this page, and the
      tests check that it is up to date. For other formats see [ONNX](ONNX.md), [TensorFlow Lite](TensorFlowLite.md), [Keras](Keras.md),
      [Caffe](Caffe.md) and [ncnn](NCNN.md). [What formats cannot say](Written.md) lists what converting refuses.

      The columns of the tables of layers:

      - **kernels**: the fast kernels of the layer. Every layer also has a definition in plain loops of `Double`, which
        computes what no kernel can.
      - **gradient**: whether a network with this layer can be trained.
      - **samples**: the number of samples on which kernels are compared with the definition, and the definition with known
        answers.
      - **coremltools' tests**: the number of cases of coremltools' own tests that predict with the layer and pass, and the
        test files with the most such cases. `Python/conformance/README.md` says which groups were counted. `ours/` means
        `Python/tests`, against ONNX Runtime and NumPy, for layers that coremltools does not test. Custom layers have
        `CustomLayerTests`.

      """
    for family in families {
      text += "\n## \(family.name)\n\n"
      text += "| layer | what it computes | kernels | gradient | samples | coremltools' tests |\n"
      text += "|---|---|---|---|--:|---|\n"
      for row in family.rows { text += line(row) }
    }
    return text + programs.markdown + ModelTypeTable().markdown + names.markdown + next
  }

  private let next = """

    ## Next

    - [Converting](Converting.md): write these layers and operations in another format
    - [ML Programs](Programs.md): precision, states, loops
    - [Contributing](../CONTRIBUTING.md#add-an-operator): add an operator

    """

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
