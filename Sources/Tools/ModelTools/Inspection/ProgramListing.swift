import ModelFormat

/// An ML Program in MIL's own text, as compiled models hold it: a stage of `atelier inspect`.
public struct ProgramListing: Encodable, Sendable {
  /// The text.
  public let text: String

  /// The program of a model; throws ``ModelToolsError`` where it is of another type.
  public init(_ file: ModelFile) throws {
    guard case .mlProgram(let program)? = file.model.type else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName); only ML Programs have a text."
          + " `atelier inspect` without --stage shows what the file says.")
    }
    let version = MILText.Version(specificationVersion: file.model.specificationVersion)
    text = MILText(program, version: version).description
  }
}
