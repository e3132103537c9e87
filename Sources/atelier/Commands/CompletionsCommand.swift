import Arguments
import Files
import Foundation

/// `atelier completions`: prints the script with which a shell completes commands and options.
enum CompletionsCommand: Command {
  static let syntax = CommandSyntax(
    "completions", summary: "Prints a script with which a shell completes commands and options.",
    operands: [
      .init(
        "SHELL", choices: Completions.Shell.allCases.map(\.rawValue), help: "bash, zsh or fish.")
    ],
    notes: """
      Example: atelier completions bash > ~/.local/share/bash-completion/completions/atelier
      """)

  static func run(_ arguments: ParsedArguments) throws {
    guard let shell = Completions.Shell(rawValue: arguments.operands[0]) else {
      throw UsageError("the shell is '\(arguments.operands[0])', expected bash, zsh or fish.")
    }
    Output.write(
      Completions(program: "atelier", commands: Atelier.commands.map { $0.syntax })
        .script(for: shell))
  }
}

/// `atelier manual`: writes the manual pages.
enum ManualCommand: Command {
  static let syntax = CommandSyntax(
    "manual", summary: "Writes a manual page for each command to a folder.",
    operands: [.init("FOLDER", help: "The folder, such as ~/.local/share/man/man1.")])

  static func run(_ arguments: ParsedArguments) throws {
    let folder: String = arguments.operands[0]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ page: String, _ name: String) throws {
      try WholeFile.write(Data(page.utf8), to: "\(folder)/\(name).1")
    }
    try write(
      CommandSyntax.manualPage(
        program: "atelier", version: Atelier.version, summary: "paints photos, runs Core ML models",
        groups: Atelier.groups.map { ($0.heading, $0.commands.map { $0.syntax }) }), "atelier")
    for command in Atelier.commands {
      try write(
        command.syntax.manualPage(program: "atelier", version: Atelier.version),
        "atelier-\(command.syntax.name)")
    }
    Output.report("\(folder): \(Atelier.commands.count + 1) manual pages")
  }
}
