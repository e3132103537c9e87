import Foundation
import Glibc
import Mutants

/// A worker process, with its output so far.
final class Child {
  /// A message from the worker, or a change of the worker's state.
  enum Event {
    case ended(Int, Verdict, milliseconds: Int, megabytes: Int, words: String)
    /// The worker crashed on this mutant. Holds the mutant's number, and the worker's status or signal with its last
    /// output.
    case crashed(Int, String)
    /// The worker finished its range of mutants, or could not start.
    case finished
  }

  /// The mutant that the worker is processing.
  struct Current {
    let number: Int
    /// The processor time that the child had used when it started this mutant, in milliseconds.
    let processorTime: Int
    let since: ContinuousClock.Instant
  }

  /// The mutant that the worker is processing.
  private(set) var current: Current?
  private let process: pid_t
  private let output: Int32
  private let errors: Int32
  private var unread: [UInt8] = []
  private var lastWords: [UInt8] = []

  /// Starts this program as a worker. The worker tries the mutants with the numbers `first`, `first + step`, `first + 2
  /// · step` … that are below `end`.
  ///
  /// - Parameter trap: the number at which the worker deliberately crashes.
  init(
    of reader: FuzzedReader, seed: UInt64, first: Int, step: Int, end: Int, trap: Int? = nil
  ) throws {
    var pipes: [[Int32]] = [[0, 0], [0, 0]]
    for index in pipes.indices {
      guard pipe(&pipes[index]) == 0 else { throw Failure() }
      for end in pipes[index] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[0][1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 2)
    let program = "/proc/self/exe"
    let words: [String] = [
      CommandLine.arguments[0], "worker", reader.rawValue, "\(seed)", "\(first)", "\(step)",
      "\(end)", "\(trap ?? -1)",
    ]
    var list: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in list { free(word) } }
    var started: pid_t = 0
    let status: Int32 = posix_spawn(&started, program, &actions, nil, &list, environ)
    for pipe in pipes { close(pipe[1]) }
    guard status == 0 else { throw Failure() }
    process = started
    (output, errors) = (pipes[0][0], pipes[1][0])
    for descriptor in [output, errors] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    close(output)
    close(errors)
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String { "A child could not be started; is memory short?" }
  }

  /// Waits briefly until any child writes output.
  static func wait(for children: [Child]) {
    var descriptors: [pollfd] = children.map {
      pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0)
    }
    poll(&descriptors, nfds_t(descriptors.count), 200)
  }

  /// Returns the events since the last call.
  func events() -> [Event] {
    _ = Self.drain(errors, into: &lastWords)
    if lastWords.count > 1 << 20 { lastWords.removeFirst(lastWords.count - 1 << 19) }
    let isClosed: Bool = Self.drain(output, into: &unread)
    var events: [Event] = []
    while let end = unread.firstIndex(of: 0x0A) {
      let line = String(decoding: unread[..<end], as: UTF8.self)
      unread.removeSubrange(...end)
      if let event = event(line) { events.append(event) }
    }
    if isClosed { events.append(buried()) }
    return events
  }

  /// Says why the current mutant takes too long. Nil if the mutant is within the limits.
  ///
  /// The first limit applies to processor time, so that a busy machine causes no findings. A second limit applies to
  /// elapsed time (`Fuzzing.waitLimit`), and catches a mutant that waits forever.
  var delay: String? {
    guard let current else { return nil }
    let seconds: Double = Double(processorTime - current.processorTime) / 1000
    if seconds > Fuzzing.timeLimit {
      return "it took longer than \(Int(Fuzzing.timeLimit)) s of processor time"
    }
    return (.now - current.since) / .seconds(1) > Fuzzing.waitLimit
      ? "it waited for longer than \(Int(Fuzzing.waitLimit)) s" : nil
  }

  /// The processor time of all threads of the child, in milliseconds.
  private var processorTime: Int {
    let text: String? = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The process name is in parentheses and may contain anything. After the name, the 12th and 13th words are the user
    // time and the system time, in ticks.
    let words = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 12, let user = Int(words[11]), let system = Int(words[12]) else { return 0 }
    return (user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK))
  }

  /// Kills the child. Used if the child takes too long.
  func end() {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    Scratch.remove(of: process)
    current = nil
  }

  private func event(_ line: String) -> Event? {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
    if words.count == 3, words[0] == "start", let number = Int(words[1]),
      let time = Int(words[2])
    {
      current = Current(number: number, processorTime: time, since: .now)
    } else if words.count == 6, words[0] == "end", let number = Int(words[1]),
      let verdict = Verdict(rawValue: String(words[2])), let milliseconds = Int(words[3]),
      let megabytes = Int(words[4])
    {
      current = nil
      return .ended(
        number, verdict, milliseconds: milliseconds, megabytes: megabytes, words: String(words[5]))
    }
    return nil
  }

  private func buried() -> Event {
    var status: Int32 = 0
    waitpid(process, &status, 0)
    _ = Self.drain(errors, into: &lastWords)
    Scratch.remove(of: process)
    guard let current else { return .finished }
    let signal: Int32 = status & 0x7F
    // Extracts two things from the last output: the message of the trap, and the first stack frames in the runtime's
    // backtrace that are in our code.
    let lines = String(decoding: lastWords, as: UTF8.self).split(separator: "\n")
    let frames: [Substring] = lines.filter { $0.contains(" at /") && !$0.contains("at //") }
    let words: String = (lines.filter { $0.contains("Fatal error") }.prefix(1) + frames.prefix(2))
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    return .crashed(
      current.number,
      signal == 0 ? "status \(status >> 8 & 0xFF) \(words)" : "signal \(signal) \(words)")
  }

  /// Reads the available bytes. Returns true at the end of the stream.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer: [UInt8] = Array(repeating: 0, count: 16_384)
    while true {
      let count: Int = read(descriptor, &buffer, buffer.count)
      if count > 0 { bytes += buffer[..<count] }
      if count == 0 { return true }
      if count < 0 { return errno != EAGAIN && errno != EINTR }
    }
  }
}
