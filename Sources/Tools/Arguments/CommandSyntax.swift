/// What may stand behind a command's name: the declaration that parses, checks and prints help.
public struct CommandSyntax: Sendable {
  /// The command's name, `stylize`.
  public var name: String
  /// One line: what it does.
  public var summary: String
  /// What stands without a dash, in order.
  public var operands: [Operand]
  /// What stands behind dashes.
  public var options: [Option]
  /// Lines below the options in the help, such as examples.
  public var notes: String

  /// A declaration. `--help` belongs to every command and need not be listed.
  public init(
    _ name: String, summary: String, operands: [Operand] = [], options: [Option] = [],
    notes: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options + [Option.help]
    self.notes = notes
  }

  /// Something that stands without a dash.
  public struct Operand: Sendable {
    /// How many of it there are. Only the last operand may be other than `one`.
    public enum Count: Sendable {
      case one
      case atLeastOne
    }

    /// The name in the help, `PHOTO`.
    public var name: String
    /// How many.
    public var count: Count
    /// One line: what it is.
    public var help: String

    /// An operand.
    public init(_ name: String, _ count: Count = .one, help: String) {
      self.name = name
      self.count = count
      self.help = help
    }
  }

  /// Something that stands behind dashes.
  public struct Option: Sendable {
    /// The long name without dashes, `output`.
    public var name: String
    /// The letter behind one dash, if there is one.
    public var letter: Character?
    /// What the help calls the value, `FILE`; nil for a switch that has none.
    public var value: String?
    /// Whether it may be given more than once.
    public var repeats: Bool
    /// Whether it must be given.
    public var isRequired: Bool
    /// One line: what it does.
    public var help: String

    /// An option.
    public init(
      _ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false,
      isRequired: Bool = false, help: String
    ) {
      self.name = name
      self.letter = letter
      self.value = value
      self.repeats = repeats
      self.isRequired = isRequired
      self.help = help
    }

    static let help = Option("help", letter: "h", help: "Says this.")
  }

  /// The help, ended by a line break.
  public func helpText(program: String) -> String {
    var usage = "Usage: \(program) \(name)"
    for operand in operands { usage += " \(operand.name)\(operand.count == .one ? "" : "…")" }
    for option in options where option.isRequired {
      usage += " --\(option.name) \(option.value ?? "")"
    }
    usage += " [options]"
    var rows: [(String, String)] = operands.map { ($0.name, $0.help) }
    rows += options.map { option in
      let letter: String = option.letter.map { "-\($0), " } ?? "    "
      return (letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? ""), option.help)
    }
    let text: String = "\(summary)\n\n\(usage)\n\n" + columns(rows)
    return notes.isEmpty ? text : text + "\n" + notes + "\n"
  }
}

/// Two columns, each row ended by a line break; a second column of several lines stays aligned.
public func columns(_ rows: [(String, String)]) -> String {
  let width: Int = rows.map(\.0.count).max() ?? 0
  let indent = String(repeating: " ", count: width + 4)
  return rows.map { left, right in
    let gap = String(repeating: " ", count: width - left.count + 2)
    let text: String = right.split(separator: "\n").joined(separator: "\n" + indent)
    return "  \(left)\(gap)\(text)\n"
  }.joined()
}
