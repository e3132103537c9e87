import Arguments
import Studio

/// `atelier studio-worker`: the process in which the studio runs uploaded models.
enum StudioWorkerCommand: Command {
  static let syntax = CommandSyntax(
    StudioWorker.command,
    summary: "Runs models for the studio. Only the studio starts this command.",
    notes: "Its standard input is a socket of the studio.\n")

  static func run(_ arguments: ParsedArguments) throws {
    guard StudioWorker.run() else {
      throw CommandError(
        "Only `atelier studio` starts workers: standard input is not a socket of the studio.")
    }
  }
}
