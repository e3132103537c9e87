import Foundation
import Glibc

/// A worker in a process of its own, and what it has said so far.
final class Child {
  /// Something that the worker said, or that happened to it.
  enum Event {
    case ended(Int, Verdict, milliseconds: Int, megabytes: Int, words: String)
    /// It died over this mutant: what the system and its last words say.
    case crashed(Int, String)
    /// It did all that it was given, or could not start.
    case finished
  }

  /// The mutant that it is at, and since when.
  private(set) var current: (number: Int, since: ContinuousClock.Instant)?
  private let process: pid_t
  private let output: Int32
  private let errors: Int32
  private var unread: [UInt8] = []
  private var lastWords: [UInt8] = []

  /// Starts this program again as a worker for the numbers from `first` on, `step` apart.
  ///
  /// - Parameter trap: a number over which it is to die.
  init(seed: UInt64, first: Int, step: Int, end: Int, trap: Int? = nil) throws {
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
      CommandLine.arguments[0], "worker", "\(seed)", "\(first)", "\(step)", "\(end)",
      "\(trap ?? -1)",
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

  /// Waits a moment for any of the children to say something.
  static func wait(for children: [Child]) {
    var places: [pollfd] = children.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
    poll(&places, nfds_t(places.count), 200)
  }

  /// What has happened since the last call.
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

  /// Ends a child that takes too long.
  func end() {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    current = nil
  }

  private func event(_ line: String) -> Event? {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
    if words.count == 2, words[0] == "start", let number = Int(words[1]) {
      current = (number, .now)
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
    guard let current else { return .finished }
    let signal: Int32 = status & 0x7F
    // The sentence of the trap, and the first place of ours in what the runtime tells of it.
    let lines = String(decoding: lastWords, as: UTF8.self).split(separator: "\n")
    let places: [Substring] = lines.filter { $0.contains(" at /") && !$0.contains("at //") }
    let words: String = (lines.filter { $0.contains("Fatal error") }.prefix(1) + places.prefix(2))
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    return .crashed(
      current.number,
      signal == 0 ? "status \(status >> 8 & 0xFF) \(words)" : "signal \(signal) \(words)")
  }

  /// Reads what is there; true at the end of it all.
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
