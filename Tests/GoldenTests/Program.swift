import Foundation
import Glibc
import Testing

/// A program of this package. Tests run it as a shell does.
enum Program {
  /// The result of a call.
  struct Outcome {
    let status: Int32
    /// The signal that ended the program, or 0.
    let signal: Int32
    let output: String
    let errors: String
    /// The peak memory of the program, in bytes.
    let peakBytes: Int
  }

  /// Returns the path of a program next to the test bundle. Nil if it was not built.
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
  /// Does not use `Process`, which does not provide the process identifier early enough to watch the memory.
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
      // The peak that wait4 reports would include the memory of this process, because Linux carries a process's peak
      // over to its children.
      var peak = 0
      var ended = siginfo_t()
      while true {
        peak = max(peak, peakBytes(of: child))
        try #require(waitid(P_PID, id_t(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0)
        guard ended.si_signo == 0 else { break }
        usleep(3000)
      }
      var status: Int32 = 0
      try #require(waitpid(child, &status, 0) == child)
      func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      }
      return Outcome(
        status: status >> 8 & 0xFF, signal: status & 0x7F, output: text(output),
        errors: text(errors), peakBytes: peak)
    }
  }

  /// Returns the peak memory of a running program in bytes. Returns 0 after the program's end. Also returns 0 while the
  /// program still shares this process's memory: on Linux, the parent may continue shortly before the child gets its
  /// own address space.
  private static func peakBytes(of process: pid_t) -> Int {
    func image(_ process: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }
    guard let started = image("\(process)"), started != image("self"),
      let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let number = line.split(separator: " ").compactMap({ Int($0) }).first
    else { return 0 }
    return number * 1024
  }
}
