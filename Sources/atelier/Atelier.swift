import Arguments
import Foundation
import Platform

/// The program `atelier`: finds the command, runs it, and turns what it throws into one line and an
/// exit code.
@main
enum Atelier {
  /// What `--version` says.
  static let version = "0.1.0"

  /// The commands in the order of the help.
  static var commands: [any Command.Type] {
    [
      StylizeCommand.self, StylesCommand.self, TrainCommand.self, PaintCommand.self,
      SheetCommand.self, ClassifyCommand.self, EvaluateCommand.self, PredictCommand.self,
      InspectCommand.self, CompareCommand.self, ConvertCommand.self, CompressCommand.self,
      GenerateCommand.self, BenchCommand.self, LayersCommand.self, FetchCommand.self,
      UpdateCommand.self, LearnCommand.self, SimilarCommand.self, EncryptCommand.self,
      StudioCommand.self,
    ]
  }

  /// Commands for those who keep the gallery, and for other commands; the help does not list them.
  static var maintenance: [any Command.Type] {
    [CardCommand.self, QualityCommand.self, StudioWorkerCommand.self]
  }

  static func main() {
    Output.prepare()
    Interruption.install()
    let code: ExitCode = run(Array(CommandLine.arguments.dropFirst()))
    Output.finish()
    exit(code.rawValue)
  }

  /// Runs the command that the words name.
  static func run(_ words: [String]) -> ExitCode {
    guard let name = words.first else {
      Output.error(help)
      return .usage
    }
    switch name {
    case "--help", "-h", "help":
      if words.count > 1, let command = command(words[1]) {
        Output.write(command.syntax.helpText(program: "atelier"))
      } else {
        Output.write(help)
      }
      return .success
    case "--version":
      Output.line("atelier \(version)")
      return .success
    default: break
    }
    guard let command = command(name) else {
      let near = commands.map { ($0.syntax.name, editDistance($0.syntax.name, name)) }
        .min { $0.1 < $1.1 }
      let hint: String = near.map { $0.1 <= 2 ? " Did you mean '\($0.0)'?" : "" } ?? ""
      Output.errorLine(
        "atelier: there is no command '\(name)'.\(hint) `atelier --help` lists them.")
      return .usage
    }
    return run(command, Array(words.dropFirst()))
  }

  private static func run(_ command: any Command.Type, _ words: [String]) -> ExitCode {
    let syntax: CommandSyntax = command.syntax
    do {
      let arguments = try ParsedArguments(words, syntax: syntax)
      guard !arguments.asksForHelp else {
        Output.write(syntax.helpText(program: "atelier"))
        return .success
      }
      try command.run(arguments)
      return .success
    } catch let error as UsageError {
      Output.errorLine(
        "atelier \(syntax.name): \(error) See `atelier \(syntax.name) --help`.")
      return .usage
    } catch {
      Output.errorLine("atelier \(syntax.name): \(sentence(of: error))")
      return .failure
    }
  }

  private static func command(_ name: String) -> (any Command.Type)? {
    (commands + maintenance).first { $0.syntax.name == name }
  }

  private static var help: String {
    """
    atelier paints photos with Core ML style networks, and runs Core ML models on Linux.

    Usage: atelier COMMAND …

    \(columns(commands.map { ($0.syntax.name, $0.syntax.summary) }))
    `atelier COMMAND --help` says what a command takes; `atelier --version` which one this is.

    """
  }
}

/// What the program tells the shell.
enum ExitCode: Int32 {
  /// All is done.
  case success = 0
  /// A file is missing or damaged, or something cannot be computed.
  case failure = 1
  /// The command line is wrong.
  case usage = 2
  /// Whoever read what the program prints has gone; as the shell says of programs that end so.
  case brokenPipe = 141
}

/// One command: its syntax, and what it does.
protocol Command {
  /// What it takes.
  static var syntax: CommandSyntax { get }
  /// Does it; throws `UsageError` where the words do not fit, anything else where the work fails.
  static func run(_ arguments: ParsedArguments) throws
}

/// An error of the program's own: one sentence.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ sentence: String) { description = ErrorSentence.tidied(sentence) }
}

/// The sentence of any error.
func sentence(of error: any Error) -> String {
  if let localized = error as? any LocalizedError, let text = localized.errorDescription {
    return text
  }
  return "\(error)"
}
