/// The kind of an option's value or of an operand. Completions offer values of this kind. `-` means standard input or
/// output only for files.
public enum ArgumentKind: Sendable, Equatable {
  /// A file, or a folder with files.
  case file
  /// A folder.
  case folder
  /// One of some words.
  case choice([String])
  /// A number, a name or any other text.
  case text

  /// The parts of placeholders that stand for files, and for folders.
  private static let files: Set<String> = [
    "FILE", "MODEL", "PHOTO", "PAINTING", "PICTURE", "PAINTED", "PLACE", "MASK", "PATH", "LIB",
    "INPUT", "CSV", "NEW", "FIRST", "SECOND",
  ]
  private static let folders: Set<String> = ["FOLDER", "DIR"]

  /// Finds the kind of a value by its placeholder in the help, such as `FILE`.
  init(placeholder: String) {
    let words = Set(placeholder.split { !$0.isUppercase }.map(String.init))
    if placeholder.contains("=") {
      self = .text
    } else if !words.isDisjoint(with: Self.files) {
      self = .file
    } else if !words.isDisjoint(with: Self.folders) {
      self = .folder
    } else {
      self = .text
    }
  }
}

extension CommandSyntax.Option {
  /// The kind of the option's value. Nil for a switch.
  public var kind: ArgumentKind? {
    guard let value else { return nil }
    return choices.isEmpty ? ArgumentKind(placeholder: value) : .choice(choices)
  }
}

extension CommandSyntax.Operand {
  /// The kind of the operand.
  public var kind: ArgumentKind {
    choices.isEmpty ? ArgumentKind(placeholder: name) : .choice(choices)
  }
}
