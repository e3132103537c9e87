import Arguments
import Foundation
import Platform

/// The program `atelier`: finds the command and runs it. If the command throws, prints the error in one line and ends
/// with an exit status that tells the kind of error.
@main
enum Atelier {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  /// The commands below their headings, in the order in which the help lists them.
  static var groups: [(heading: String, commands: [any Command.Type])] {
    [
      (
        "Paint",
        [
          StylizeCommand.self, FilmCommand.self, StylesCommand.self, PaintCommand.self,
          TrainCommand.self, UpscaleCommand.self,
        ]
      ),
      ("Look at pictures", [SheetCommand.self, JudgeCommand.self]),
      (
        "Find and classify photos",
        [
          ClassifyCommand.self, DetectCommand.self, SeeCommand.self, SimilarCommand.self,
          LearnCommand.self,
        ]
      ),
      ("Get models and serve them", [FetchCommand.self, StudioCommand.self, ServeCommand.self]),
      (
        "For developers",
        [
          PredictCommand.self, InspectCommand.self, CompareCommand.self, ConvertCommand.self,
          CompressCommand.self, UpdateCommand.self, EvaluateCommand.self, EncryptCommand.self,
          GenerateCommand.self, PortCommand.self, BenchCommand.self, LayersCommand.self,
        ]
      ),
    ]
  }

  /// The commands that the help lists.
  static var commands: [any Command.Type] { groups.flatMap(\.commands) }

  /// The commands for maintainers of the gallery and for packages, and the command that the studio starts as a worker.
  /// The help does not list these commands.
  static var maintenance: [any Command.Type] {
    [PublishCommand.self, CompletionsCommand.self, ManualCommand.self, StudioWorkerCommand.self]
  }

  static func main() {
    Output.prepare()
    Interruption.install()
    let code: ExitCode = run(Array(CommandLine.arguments.dropFirst()))
    Output.finish()
    exit(code.rawValue)
  }

  /// Runs the command that the first word names.
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
      if arguments.has("quiet") { Output.beQuiet() }
      if arguments.has("json") { Output.reserveForJSON() }
      try Piping.run(arguments, syntax) { try command.run($0) }
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
    let width: Int = commands.map { $0.syntax.name.count }.max() ?? 0
    let lists: [String] = groups.map { heading, commands in
      let rows: [(String, String)] = commands.map { ($0.syntax.name, $0.syntax.summary) }
      return "\(heading):\n" + columns(rows, width: width)
    }
    return """
      \(summary)

      Usage: atelier COMMAND …

      \(lists.joined(separator: "\n"))
      `atelier COMMAND --help` explains a command. `atelier --version` prints the version.
      `-` in place of one file is standard input or output.

      """
  }

  /// What the program does, in one line.
  static let summary =
    "atelier paints photos with Core ML style networks, and runs Core ML models on Linux."
}

/// The program's exit status.
enum ExitCode: Int32 {
  /// The command succeeded.
  case success = 0
  /// The command failed: a file is missing or damaged, or something cannot be computed.
  case failure = 1
  /// The command line has an error.
  case usage = 2
  /// The reader of standard output has closed the pipe. The value is 128 + SIGPIPE, as in a shell.
  case brokenPipe = 141
}

/// A command of the program: its syntax, and the function that runs it.
protocol Command {
  /// The operands and options that the command accepts.
  static var syntax: CommandSyntax { get }
  /// Runs the command. Throws `UsageError` if the command line has an error, any other error if the work fails.
  static func run(_ arguments: ParsedArguments) throws
}

/// An error in the work of a command. The description is one sentence.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ sentence: String) { description = ErrorSentence.tidied(sentence) }
}

/// Returns the sentence of any error.
func sentence(of error: any Error) -> String {
  if let localized = error as? any LocalizedError, let text = localized.errorDescription {
    return text
  }
  return "\(error)"
}
