import Arguments
import Studio

/// `atelier studio-worker`: what the studio starts to run models that others wrote.
enum StudioWorkerCommand: Command {
  static let syntax = CommandSyntax(
    StudioWorker.command,
    summary: "Runs models for a studio, which starts it by itself.",
    notes: "Its standard input is a stream to the studio.\n")

  static func run(_ arguments: ParsedArguments) throws {
    guard StudioWorker.run() else {
      throw CommandError("Only `atelier studio` starts workers: standard input is no stream to it.")
    }
  }
}
