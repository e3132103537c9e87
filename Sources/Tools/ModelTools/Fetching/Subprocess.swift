import Foundation
import Platform

/// Runs other programs, such as `pip` and `tar`, as child processes.
enum Subprocess {
  /// The result of a program.
  struct Outcome {
    /// The exit status.
    let status: Int32
    /// The text that the program wrote to standard output and standard error.
    let text: String

    /// A line of ``text`` for messages: the last line that begins with `ERROR` or, if there is none, the last line that
    /// is not empty.
    var lastLine: String {
      let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
      let failure = lines.last { $0.hasPrefix("ERROR") } ?? lines.last
      return failure.map(String.init) ?? "it printed nothing"
    }
  }

  /// Finds a program on the path, runs it and waits for it.
  static func run(
    _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws -> Outcome {
    let log: URL = folder.appendingPathComponent(".output-\(UUID().uuidString)")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let output = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    do {
      try process.run()
    } catch {
      throw ModelToolsError(
        .notFetched,
        "The program '\(program)' could not be started: \(ErrorSentence.reason(of: error)).")
    }
    process.waitUntilExit()
    try output.close()
    let text = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
    return Outcome(status: process.terminationStatus, text: text)
  }
}
