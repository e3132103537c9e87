/// The scripts with which shells complete a program's commands, options and values.
public struct Completions: Sendable {
  /// A shell.
  public enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  private let program: String
  private let commands: [CommandSyntax]

  /// Makes completions from the declarations of a program's commands.
  public init(program: String, commands: [CommandSyntax]) {
    self.program = program
    self.commands = commands
  }

  /// Returns the script for a shell.
  public func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static func words(_ option: CommandSyntax.Option) -> [String] {
    (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
  }

  /// The help up to its first full stop, in one line.
  private static func short(_ help: String) -> String {
    let line: String = help.split(separator: "\n").joined(separator: " ")
    guard let stop = line.firstIndex(of: ".") else { return line }
    return String(line[..<stop])
  }

  // MARK: bash

  private var bash: String {
    let names: String = commands.map(\.name).joined(separator: " ")
    return """
      # Completion of \(program) for bash.
      _\(program)_words() {
        mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
      }
      _\(program)_files() {
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -A "$1" -- "$current")
      }
      _\(program)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          _\(program)_words "\(names) --help --version"
          return
        fi
        case ${COMP_WORDS[1]} in
      \(commands.map(bash).joined())  esac
      }
      complete -F _\(program) \(program)

      """
  }

  private func bash(_ command: CommandSyntax) -> String {
    var text = "    \(command.name))\n      case $previous in\n"
    for option in command.options {
      guard let kind = option.kind else { continue }
      let pattern: String = Self.words(option).joined(separator: "|")
      text += "        \(pattern)) \(bash(kind)); return ;;\n"
    }
    let options: String = command.options.flatMap(Self.words).joined(separator: " ")
    let operand: String = command.operands.last.map { bash($0.kind) } ?? ":"
    return text + "      esac\n      case $current in\n"
      + "        -*) _\(program)_words \"\(options)\" ;;\n        *) \(operand) ;;\n"
      + "      esac ;;\n"
  }

  private func bash(_ kind: ArgumentKind) -> String {
    switch kind {
    case .file: "_\(program)_files file"
    case .folder: "_\(program)_files directory"
    case .choice(let words): "_\(program)_words \"\(words.joined(separator: " "))\""
    case .text: ":"
    }
  }

  // MARK: zsh

  private var zsh: String {
    let names: String = commands.map {
      "    '\(Self.quoted($0.name)):\(Self.quoted(Self.short($0.summary)))'\n"
    }.joined()
    return """
      #compdef \(program)
      # Completion of \(program) for zsh.
      _\(program)() {
        local -a commands
        commands=(
      \(names)  )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(commands.map(zsh).joined())  esac
      }
      # Either the shell loads this file as the function itself, or it is sourced.
      if [ "$funcstack[1]" = "_\(program)" ]; then
        _\(program) "$@"
      else
        compdef _\(program) \(program)
      fi

      """
  }

  private func zsh(_ command: CommandSyntax) -> String {
    var specifications: [String] = []
    for option in command.options {
      let help: String = Self.quoted(Self.short(option.help), for: "[]:")
      let value: String = option.kind.map { ":\(Self.zshName(option.value)):\(zsh($0))" } ?? ""
      let repeats: String = option.repeats ? "*" : ""
      for word in Self.words(option) {
        specifications.append("'\(repeats)\(word)[\(help)]\(value)'")
      }
    }
    for operand in command.operands {
      let repeats: String = operand.count == .one ? "" : "*"
      specifications.append(
        "'\(repeats):\(Self.zshName(operand.name)):\(zsh(operand.kind))'")
    }
    return "    \(command.name))\n      _arguments \\\n        "
      + specifications.joined(separator: " \\\n        ") + " ;;\n"
  }

  private func zsh(_ kind: ArgumentKind) -> String {
    switch kind {
    case .file: "_files"
    case .folder: "_files -/"
    case .choice(let words): "(\(words.joined(separator: " ")))"
    case .text: " "
    }
  }

  private static func zshName(_ placeholder: String?) -> String {
    quoted(placeholder ?? "", for: "[]:")
  }

  /// Escapes a text within single quotes, and puts a backslash before some characters.
  private static func quoted(_ text: String, for special: String = "") -> String {
    text.map { character in
      character == "'"
        ? "'\\''" : special.contains(character) ? "\\\(character)" : String(character)
    }.joined()
  }

  // MARK: fish

  private var fish: String {
    var lines: [String] = ["# Completion of \(program) for fish.", "complete -c \(program) -f"]
    for command in commands {
      lines.append(
        "complete -c \(program) -n __fish_use_subcommand -a \(command.name) -d"
          + " '\(Self.fishText(Self.short(command.summary)))'")
      let start = "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        let letter: String = option.letter.map { " -s \($0)" } ?? ""
        let value: String = option.kind.map(fish) ?? ""
        lines.append(
          "\(start)\(letter) -l \(option.name)\(value) -d"
            + " '\(Self.fishText(Self.short(option.help)))'")
      }
      switch command.operands.last?.kind {
      case .file?, .folder?: lines.append("\(start) -F")
      case .choice(let words)?: lines.append("\(start) -a '\(words.joined(separator: " "))'")
      case .text?, nil: break
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fish(_ kind: ArgumentKind) -> String {
    switch kind {
    case .file, .folder: " -r -F"
    case .choice(let words): " -x -a '\(words.joined(separator: " "))'"
    case .text: " -x"
    }
  }

  private static func fishText(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
