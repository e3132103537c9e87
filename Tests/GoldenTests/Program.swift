import Foundation
import Glibc
import Testing

/// A program of this package, run as a shell would run it.
enum Program {
  /// What a call left behind.
  struct Outcome {
    let status: Int32
    /// The signal that ended it, or 0.
    let signal: Int32
    let output: String
    let errors: String
    /// The most memory that it held at once, in bytes.
    let peakBytes: Int
  }

  /// A program beside the test bundle.
  static func binary(_ name: String) -> URL? {
    var folder: URL = Bundle.main.bundleURL
    for _ in 0..<4 {
      let candidate: URL = folder.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  static var isBuilt: Bool { binary("atelier") != nil }

  /// Runs a program and waits for it.
  ///
  /// Not through `Process`, which does not say how much memory a program took.
  static func run(_ arguments: [String], program: String = "atelier") throws -> Outcome {
    let path: String = try #require(binary(program)).path
    return try Fixtures.withFolder { folder in
      let output: String = folder.appendingPathComponent("output").path
      let errors: String = folder.appendingPathComponent("errors").path
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      let writing: Int32 = O_WRONLY | O_CREAT
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, output, writing, 0o600)
      posix_spawn_file_actions_addopen(&actions, 2, errors, writing, 0o600)
      var list: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
      defer { for entry in list { free(entry) } }
      var child: pid_t = 0
      try #require(posix_spawn(&child, path, &actions, nil, &list, environ) == 0)
      var status: Int32 = 0
      var usage = rusage()
      try #require(wait4(child, &status, 0, &usage) == child)
      func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      }
      return Outcome(
        status: status >> 8 & 0xFF, signal: status & 0x7F, output: text(output),
        errors: text(errors), peakBytes: usage.ru_maxrss * 1024)
    }
  }
}
