import ModelFormat

/// The text of an ML Program in MIL, as compiled models contain it. It is one of the stages that `atelier inspect`
/// shows.
public struct ProgramListing: Encodable, Sendable {
  /// The program in MIL's text format.
  public let text: String

  /// Writes the program of a model as text. Throws ``ModelToolsError`` if the model is not an ML Program.
  public init(_ file: ModelFile) throws {
    guard case .mlProgram(let program)? = file.model.type else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName); only ML Programs can be shown as MIL"
          + " text. `atelier inspect` without --stage shows the content of the file.")
    }
    let version = MILText.Version(specificationVersion: file.model.specificationVersion)
    text = MILText(program, version: version).description
  }
}
