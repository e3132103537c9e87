/// The operands and options of a command. ``ParsedArguments`` uses them to parse a command line, and
/// ``helpText(program:)`` describes them.
public struct CommandSyntax: Sendable {
  /// The command's name, such as `stylize`.
  public var name: String
  /// What the command does, in one line.
  public var summary: String
  /// The operands, in order.
  public var operands: [Operand]
  /// The options.
  public var options: [Option]
  /// The text below the options in the help, such as examples.
  public var notes: String
  /// The file name extension of the result that `-o -` writes, if no `--format` is given. Nil for the extension of the
  /// input.
  public var pipedFormat: String?
  /// Whether the command itself handles `-` as standard input and output. If not, the program replaces `-` by temporary
  /// files.
  public var pipesItself: Bool

  /// Creates the syntax of a command. `--quiet` and `--help` belong to every command and need not be listed.
  public init(
    _ name: String, summary: String, operands: [Operand] = [], options: [Option] = [],
    notes: String = "", pipedFormat: String? = nil, pipesItself: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options + [Option.quiet, Option.help]
    self.notes = notes
    self.pipedFormat = pipedFormat
    self.pipesItself = pipesItself
  }

  /// An argument that is not an option, such as a file.
  public struct Operand: Sendable {
    /// How often the operand may be given. The value must be `one` for all operands but the last.
    public enum Count: Sendable {
      case one
      case atLeastOne
    }

    /// The name of the operand in the help, such as `PHOTO`.
    public var name: String
    /// How often the operand may be given.
    public var count: Count
    /// What the operand is, in one line.
    public var help: String
    /// The words that are allowed. Empty if others are allowed.
    public var choices: [String]

    /// Creates an operand.
    public init(_ name: String, _ count: Count = .one, choices: [String] = [], help: String) {
      self.name = name
      self.count = count
      self.help = help
      self.choices = choices
    }
  }

  /// An option, such as `--output FILE` or `-o FILE`.
  public struct Option: Sendable {
    /// The long name without dashes, such as `output`.
    public var name: String
    /// The letter of the short form, after one dash. Nil if there is no short form.
    public var letter: Character?
    /// The placeholder of the option's value in the help, such as `FILE`. Nil for a switch, which has no value.
    public var value: String?
    /// Whether the option may be given more than once.
    public var repeats: Bool
    /// Whether the option must be given.
    public var isRequired: Bool
    /// What the option does, in one line.
    public var help: String
    /// The words that are allowed as value. Empty if other values are allowed.
    public var choices: [String]
    /// The heading below which the help lists the option. Empty for the first options, which have no heading.
    public var group = ""

    /// Creates an option.
    public init(
      _ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false,
      isRequired: Bool = false, choices: [String] = [], help: String
    ) {
      self.name = name
      self.letter = letter
      self.value = value
      self.repeats = repeats
      self.isRequired = isRequired
      self.choices = choices
      self.help = help
    }

    static let quiet = Option(
      "quiet", help: "Prints only results that were asked for, and errors."
    ).grouped("General")
    static let help = Option("help", letter: "h", help: "Prints this help.").grouped("General")

    /// Returns the option below another heading.
    public func grouped(_ heading: String) -> Option {
      var result: Option = self
      result.group = heading
      return result
    }
  }

  /// The command line in short: the program, the command, its operands and required options.
  func usage(program: String) -> String {
    var usage = "\(program) \(name)"
    for operand in operands { usage += " \(operand.name)\(operand.count == .one ? "" : "…")" }
    for option in options where option.isRequired {
      usage += " --\(option.name) \(option.value ?? "")"
    }
    return usage + " [options]"
  }

  /// The options below their headings, in the order in which the headings first occur.
  public var groups: [(heading: String, options: [Option])] {
    var headings: [String] = []
    for option in options where !headings.contains(option.group) { headings.append(option.group) }
    return headings.map { heading in (heading, options.filter { $0.group == heading }) }
  }

  /// Returns the text of `--help`, which ends with a line break.
  public func helpText(program: String) -> String {
    func row(_ option: Option) -> (String, String) {
      let letter: String = option.letter.map { "-\($0), " } ?? "    "
      return (letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? ""), option.help)
    }
    let width: Int =
      (operands.map(\.name.count) + options.map { row($0).0.count }).max() ?? 0
    var text: String = "\(summary)\n\nUsage: \(usage(program: program))\n\n"
    text += columns(operands.map { ($0.name, $0.help) }, width: width)
    for (heading, options) in groups {
      if !heading.isEmpty { text += "\n\(heading):\n" }
      text += columns(options.map(row), width: width)
    }
    return notes.isEmpty ? text : text + "\n" + notes + "\n"
  }
}

extension [CommandSyntax.Option] {
  /// Returns the options below a heading.
  public func grouped(_ heading: String) -> [CommandSyntax.Option] {
    map { $0.grouped(heading) }
  }
}

/// Formats rows as two aligned columns and ends each row with a line break. The second column may have several lines.
///
/// - Parameter width: The minimum width of the first column.
public func columns(_ rows: [(String, String)], width least: Int = 0) -> String {
  let width: Int = max(least, rows.map(\.0.count).max() ?? 0)
  let indent = String(repeating: " ", count: width + 4)
  return rows.map { left, right in
    let gap = String(repeating: " ", count: width - left.count + 2)
    let text: String = right.split(separator: "\n").joined(separator: "\n" + indent)
    return "  \(left)\(gap)\(text)\n"
  }.joined()
}
