import Engine
import Operators
import ProgramFormat

/// The part of the support page about ML Programs: which operations are read, and what they become.
struct ProgramTable {
  private let catalog: OperationCatalog
  /// The fast kernels of operators, by type.
  private let kernels: [ObjectIdentifier: [String]]
  private let exercised: ExercisedLayers
  private let run: ConformanceRun

  /// The part of a catalogue.
  init(
    _ catalog: OperationCatalog, kernels: [ObjectIdentifier: [String]], exercised: ExercisedLayers,
    run: ConformanceRun
  ) {
    self.run = run
    self.catalog = catalog
    self.kernels = kernels
    self.exercised = exercised
  }

  /// The part as Markdown.
  var markdown: String {
    var text = """

      # Operations of ML Programs

      Atelier runs these \(catalog.names.count) operations: all \(run.definitions.count) that coremltools 9.0 defines for
      iOS 13 to 18, but for \(refused), and those that it writes under other names. The second column says since which
      release Core ML has them and which releases define them anew; that is read by the opset of the function.
      The third one has the element types that the newest definition admits. An operation becomes operators of the
      one graph, those that layers become too; the kernels are theirs. The last column counts the cases of
      coremltools' own tests that predict with such an operation in an ML Program and pass.

      """
    for family in catalog.families {
      text += "\n## \(family.name) in programs\n\n"
      text += "| operation | releases | types | becomes | kernels | coremltools' tests |\n"
      text += "|---|---|---|---|---|---|\n"
      for reader in family.readers { text += line(reader) }
    }
    return text + run.markdown
  }

  /// What coremltools defines and is not read.
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
