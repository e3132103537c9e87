extension CommandSyntax {
  /// Returns the manual page of the command, in roff with the macros of man(7).
  public func manualPage(program: String, version: String) -> String {
    var lines: [String] = [
      ".TH \"\(program)-\(name)\" 1 \"\" \"\(program) \(version)\"", ".SH NAME",
      Roff.text("\(program)-\(name) - \(summary)"), ".SH SYNOPSIS",
      Roff.text(usage(program: program)),
    ]
    if !operands.isEmpty {
      lines.append(".SH OPERANDS")
      for operand in operands {
        lines += [".TP", "\\fI\(Roff.text(operand.name))\\fR", Roff.text(operand.help)]
      }
    }
    lines.append(".SH OPTIONS")
    for (heading, options) in groups {
      if !heading.isEmpty { lines.append(".SS \(Roff.text(heading))") }
      for option in options {
        var term: String = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
        term += "\\fB\\-\\-\(Roff.text(option.name))\\fR"
        if let value = option.value { term += " \\fI\(Roff.text(value))\\fR" }
        lines += [".TP", term, Roff.text(option.help)]
      }
    }
    if !notes.isEmpty { lines += [".SH NOTES", ".nf", Roff.text(notes), ".fi"] }
    lines += [".SH SEE ALSO", "\\fB\(program)\\fR(1)"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the manual page of the program, which lists its commands.
  public static func manualPage(
    program: String, version: String, summary: String,
    groups: [(heading: String, commands: [CommandSyntax])]
  ) -> String {
    var lines: [String] = [
      ".TH \"\(program)\" 1 \"\" \"\(program) \(version)\"", ".SH NAME",
      Roff.text("\(program) - \(summary)"), ".SH SYNOPSIS", "\\fB\(program)\\fR COMMAND ...",
      ".SH COMMANDS",
    ]
    for (heading, commands) in groups {
      lines.append(".SS \(Roff.text(heading))")
      for command in commands {
        lines += [
          ".TP", "\\fB\(program)\\-\(command.name)\\fR(1)", Roff.text(command.summary),
        ]
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Text in roff.
private enum Roff {
  /// Escapes backslashes, hyphens, and the characters that begin a request at the start of a line.
  static func text(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let escaped: String = line.map { character in
        character == "\\" ? "\\e" : character == "-" ? "\\-" : String(character)
      }.joined()
      return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }.joined(separator: "\n")
  }
}
