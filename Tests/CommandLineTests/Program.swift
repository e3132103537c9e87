import Foundation
import Testing

/// The program under test. Tests start it as a shell does.
enum Program {
  /// The result of a call.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The binary that the variable `ATELIER_BIN` names, or the binary next to the test bundle.
  static let binary: URL? = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_BIN"] {
      return URL(fileURLWithPath: path)
    }
    var folder: URL = Bundle.main.bundleURL
    for _ in 0..<4 {
      let candidate: URL = folder.appendingPathComponent("atelier")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    return nil
  }()

  static var isBuilt: Bool { binary != nil }

  /// Returns whether another program was built next to the program under test.
  static func isBuilt(_ name: String) -> Bool {
    binary.map {
      FileManager.default.isExecutableFile(
        atPath: $0.deletingLastPathComponent().appendingPathComponent(name).path)
    } ?? false
  }

  /// Runs the program, or another program next to it, and waits for its end.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], program: String = "atelier",
    folder directory: URL? = nil
  ) throws -> Outcome {
    let (process, folder) = try prepare(arguments, environment, program: program)
    if let directory { process.currentDirectoryURL = directory }
    defer { try? FileManager.default.removeItem(at: folder) }
    try process.run()
    process.waitUntilExit()
    func text(_ name: String) -> String {
      (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }
    return Outcome(
      status: process.terminationStatus, output: text("output"), errors: text("errors"))
  }

  static func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  /// Runs the program, sends it SIGINT after a delay, and returns the program's exit status or signal.
  static func run(
    _ arguments: [String], interruptedAfter seconds: Double, environment: [String: String] = [:]
  ) throws -> Int32 {
    let (process, folder) = try prepare(arguments, environment)
    defer { try? FileManager.default.removeItem(at: folder) }
    try process.run()
    Thread.sleep(forTimeInterval: seconds)
    process.interrupt()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs the program of the given name, kills it after a delay, and returns its exit status or signal.
  static func run(
    _ arguments: [String], killedAfter seconds: Double, environment: [String: String],
    program: String
  ) throws -> Int32 {
    let (process, folder) = try prepare(arguments, environment, program: program)
    defer { try? FileManager.default.removeItem(at: folder) }
    try process.run()
    Thread.sleep(forTimeInterval: seconds)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs the program, waits until a condition holds or the program has ended, and kills the program after a delay.
  ///
  /// - Returns: Whether the program was killed before it ended itself.
  static func run(
    _ arguments: [String], environment: [String: String], killedAfter seconds: Double,
    since condition: () -> Bool
  ) throws -> Bool {
    let (process, folder) = try prepare(arguments, environment)
    defer { try? FileManager.default.removeItem(at: folder) }
    try process.run()
    while process.isRunning, !condition() { Thread.sleep(forTimeInterval: 0.001) }
    Thread.sleep(forTimeInterval: seconds)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  private static func prepare(
    _ arguments: [String], _ environment: [String: String], program name: String = "atelier"
  ) throws -> (Process, URL) {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("CommandLineTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let process = Process()
    let program: URL = try #require(Self.binary)
    process.executableURL =
      name == "atelier"
      ? program : program.deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    func file(_ name: String) throws -> FileHandle {
      let url: URL = folder.appendingPathComponent(name)
      try Data().write(to: url)
      return try FileHandle(forWritingTo: url)
    }
    process.standardOutput = try file("output")
    process.standardError = try file("errors")
    return (process, folder)
  }
}

/// The locations of models and photos that are not part of the project.
enum Fixtures {
  static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return root.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  static let styleBlue = shared.appendingPathComponent("models/createml-style/StyleBlue.mlmodel")
  static let starryNight = shared.appendingPathComponent(
    "models/starry-night/FastStyleTransferVanGoghStarryNight.mlmodel")
  static let digits = shared.appendingPathComponent("models/digits/mnistCNN.mlmodel")
  static let astronaut = shared.appendingPathComponent("pictures/photos/skimage-astronaut.png")

  static var areAvailable: Bool {
    [styleBlue, starryNight, digits, astronaut].allSatisfy {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  /// Calls the closure with an empty folder and removes the folder afterwards.
  static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("CommandLineTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
