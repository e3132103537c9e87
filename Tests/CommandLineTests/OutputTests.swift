import Foundation
import Testing

/// Tests failures of standard output, and the location of the cache.
@Suite(.enabled(if: Program.isBuilt))
struct OutputTests {
  /// Runs a shell script in which `$ATELIER` is the program.
  private func shell(_ script: String, environment: [String: String] = [:]) throws -> (
    status: Int32, errors: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["ATELIER": try #require(Program.binary).path]) { $1 }.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let errors: Data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: errors, as: UTF8.self))
  }

  @Test(
    "A full standard output is an error",
    arguments: ["layers", "layers --json", "--help", "--version", "styles --help"])
  func full(words: String) throws {
    let outcome = try shell("\"$ATELIER\" \(words) > /dev/full")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == "atelier: standard output cannot be written to (No space left on device)."
        + " Results go there; write them to a place that takes them.\n")
  }

  @Test("A closed standard output is an error, and no other file is written instead")
  func closed() throws {
    let outcome = try shell("\"$ATELIER\" layers >&-")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("standard output cannot be written to (Bad file descriptor)"))
  }

  @Test("A command that prints nothing succeeds with a closed standard output")
  func closedAndQuiet() throws {
    #expect(try shell("\"$ATELIER\" inspect /nowhere >&-").errors.contains("no such file"))
  }

  @Test("If the reader closes the pipe, the program exits silently")
  func brokenPipe() throws {
    let outcome = try shell(
      "\"$ATELIER\" layers --json | true; exit \"${PIPESTATUS[0]}\"")
    #expect(outcome.status == 141)
    #expect(outcome.errors.isEmpty)
  }

  @Test("HOME determines the cache folder, and XDG_CACHE_HOME takes precedence")
  func cache() throws {
    try Fixtures.withFolder { folder in
      let cache: URL = folder.appendingPathComponent(".cache/atelier", isDirectory: true)
      try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
      try Data("model".utf8).write(to: cache.appendingPathComponent("SqueezeNet.mlmodel"))
      let home = try Program.run(
        ["fetch", "squeezenet"], environment: ["HOME": folder.path, "XDG_CACHE_HOME": ""])
      #expect(home.output == "\(cache.path)/SqueezeNet.mlmodel exists already.\n")
      let cacheHome = try Program.run(
        ["fetch", "squeezenet"],
        environment: ["HOME": "/nowhere", "XDG_CACHE_HOME": folder.path + "/.cache"])
      #expect(cacheHome.output == "\(cache.path)/SqueezeNet.mlmodel exists already.\n")
    }
  }
}
