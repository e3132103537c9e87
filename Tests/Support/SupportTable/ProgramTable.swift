import Engine
import Operators
import ProgramFormat

/// The part of the support page about ML Programs: which operations are read, and what they become.
struct ProgramTable {
  private let catalog: OperationCatalog
  /// The fast kernels of operators, by type.
  private let kernels: [ObjectIdentifier: [String]]
  private let exercised: ExercisedLayers

  /// The part of a catalogue.
  init(
    _ catalog: OperationCatalog, kernels: [ObjectIdentifier: [String]], exercised: ExercisedLayers
  ) {
    self.catalog = catalog
    self.kernels = kernels
    self.exercised = exercised
  }

  /// The part as Markdown.
  var markdown: String {
    var text = """

      # Operations of ML Programs

      Atelier runs these \(catalog.names.count) operations. The second column says since which release Core ML has
      them; what a later release redefined is read by the opset of the function. An operation becomes operators of
      the one graph, those that layers become too; the kernels are theirs. The last column counts the cases of
      coremltools' own tests that predict with such an operation in an ML Program and pass.

      """
    for family in catalog.families {
      text += "\n## \(family.name) in programs\n\n"
      text += "| operation | since | becomes | kernels | coremltools' tests |\n"
      text += "|---|---|---|---|---|\n"
      for reader in family.readers { text += line(reader) }
    }
    return text
  }

  private func line(_ reader: OperationReader) -> String {
    let made: [String] = reader.operators.map { $0.declaration.name }
    var fast: [String] = []
    for type in reader.operators {
      for kernel in kernels[ObjectIdentifier(type)] ?? [] where !fast.contains(kernel) {
        fast.append(kernel)
      }
    }
    let cells: [String] = [
      "`\(reader.name)`", "\(reader.since)", made.joined(separator: ", "),
      fast.joined(separator: ", "), exercised.cell("program/\(reader.name)"),
    ]
    return "| \(cells.joined(separator: " | ")) |\n"
  }
}
