import Foundation
import Glibc
import Mutants

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

  /// A mutant that is being tried.
  struct Current {
    let number: Int
    /// The processor time of the child when it began, in milliseconds.
    let processorTime: Int
    let since: ContinuousClock.Instant
  }

  /// The mutant that it is at.
  private(set) var current: Current?
  private let process: pid_t
  private let output: Int32
  private let errors: Int32
  private var unread: [UInt8] = []
  private var lastWords: [UInt8] = []

  /// Starts this program again as a worker for the numbers from `first` on, `step` apart.
  ///
  /// - Parameter trap: a number over which it is to die.
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

  /// What is wrong with how long the mutant takes that it is at; nil where nothing is.
  ///
  /// Processor time counts: a busy machine is nobody's mistake. Who waits for minutes waits for ever.
  var delay: String? {
    guard let current else { return nil }
    let seconds: Double = Double(processorTime - current.processorTime) / 1000
    if seconds > Fuzzing.timeLimit {
      return "it took longer than \(Int(Fuzzing.timeLimit)) s of processor time"
    }
    return (.now - current.since) / .seconds(1) > Fuzzing.waitLimit
      ? "it waited for longer than \(Int(Fuzzing.waitLimit)) s" : nil
  }

  /// The processor time of all its threads, in milliseconds.
  private var processorTime: Int {
    let text: String? = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The name, in parentheses, may hold anything; the times are the 12th and 13th words after it.
    let words = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 12, let user = Int(words[11]), let system = Int(words[12]) else { return 0 }
    return (user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK))
  }

  /// Ends a child that takes too long.
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
