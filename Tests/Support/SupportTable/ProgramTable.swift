import Engine
import Operators
import ProgramFormat

/// The section of the support page about ML Programs. It lists the supported operations, and the operators that they
/// become.
struct ProgramTable {
  private let catalog: OperationCatalog
  /// The fast kernels of operators, by the operators' types.
  private let kernels: [ObjectIdentifier: [String]]
  private let exercised: ExercisedLayers
  private let run: ConformanceRun

  /// Creates the section for a catalogue.
  init(
    _ catalog: OperationCatalog, kernels: [ObjectIdentifier: [String]], exercised: ExercisedLayers,
    run: ConformanceRun
  ) {
    self.run = run
    self.catalog = catalog
    self.kernels = kernels
    self.exercised = exercised
  }

  /// The section as Markdown.
  var markdown: String {
    var text = """

      # Operations of ML Programs

      Atelier runs these \(catalog.names.count) operations. coremltools 9.0 defines \(run.definitions.count) for iOS 13 to 18; all of them run, except
      \(refused). The others are operations that coremltools writes under other names.

      - **releases**: the release in which Core ML introduced the operation, and the releases that redefined it. The opset of
        the function chooses the definition.
      - **types**: the element types that the newest definition accepts.
      - **becomes**: the operators of the graph into which the operation is translated. Layers are translated into the same
        operators, which own the kernels.
      - **coremltools' tests**: the number of cases of coremltools' own tests that predict with the operation in an ML Program
        and pass.

      """
    for family in catalog.families {
      text += "\n## \(family.name) in programs\n\n"
      text += "| operation | releases | types | becomes | kernels | coremltools' tests |\n"
      text += "|---|---|---|---|---|---|\n"
      for reader in family.readers { text += line(reader) }
    }
    return text + run.markdown
  }

  /// The names of the operations that coremltools defines and we do not read, as Markdown.
  private var refused: String {
    run.definitions.keys.filter { !catalog.names.contains($0) }.sorted().map { "`\($0)`" }
      .joined(separator: " and ")
  }

  private func line(_ reader: OperationReader) -> String {
    let made: [String] = reader.operators.map { $0.declaration.name }
    var fast: [String] = []
    for type in reader.operators {
      for kernel in kernels[ObjectIdentifier(type)] ?? [] where !fast.contains(kernel) {
        fast.append(kernel)
      }
    }
    let definition = run.definitions[reader.name]
    let cells: [String] = [
      "`\(reader.name)`", definition?.releases ?? "\(reader.since)", definition?.types ?? "any",
      made.joined(separator: ", "),
      fast.joined(separator: ", "), exercised.cell("program/\(reader.name)"),
    ]
    return "| \(cells.joined(separator: " | ")) |\n"
  }
}
