import Foundation

/// Writes the program's output. Results go to standard output, and everything else goes to standard error.
///
/// If standard output cannot be written to, the program ends. It ends silently if the reader has closed the pipe, and
/// otherwise with a message.
enum Output {
  /// Whether the program was started without a standard output.
  nonisolated(unsafe) private static var isMissing = false
  /// Whether `--quiet` was given. If so, the program prints no progress, notes and lines about written files.
  nonisolated(unsafe) private(set) static var isQuiet = false
  /// Whether standard output is for JSON alone, so that reports go to standard error.
  nonisolated(unsafe) private static var isForJSON = false
  /// Whether a file goes to standard output, so that lines go to standard error.
  nonisolated(unsafe) private static var isTaken = false
  /// Paths of temporary files, and the names that messages use for them.
  nonisolated(unsafe) private static var names: [(path: String, name: String)] = []

  /// Turns off progress, notes and lines about written files. Called before other work.
  static func beQuiet() { isQuiet = true }

  /// Writes reports to standard error from now on, because JSON goes to standard output. Called before other work.
  static func reserveForJSON() { isForJSON = true }

  /// Writes lines to standard error from now on, because a file goes to standard output.
  static func takeStandardOutput() { isTaken = true }

  /// Sets the name that messages use for a temporary file, such as `-`.
  static func name(_ path: String, _ name: String) { names.append((path, name)) }

  private static func named(_ text: String) -> String {
    names.reduce(text) { $0.replacing($1.path, with: $1.name) }
  }

  /// Makes standard output, input and error safe to use. The program calls this first.
  ///
  /// If the program was started with one of the three descriptors closed, the next file that it opens would get this
  /// descriptor. Results would then be written into that file.
  static func prepare() {
    // Safe: nothing else runs yet.
    isMissing = fcntl(STDOUT_FILENO, F_GETFD) < 0
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    // A write to a closed pipe then returns EPIPE.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes text to standard output, without a line break.
  static func write(_ text: String) {
    guard !isTaken else { return error(text) }
    write(Data(named(text).utf8))
  }

  /// Writes bytes to standard output.
  static func write(_ data: Data) {
    if isMissing { fail(EBADF) }
    data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      var done: Int = 0
      while done < bytes.count {
        // Safe: the system reads only the bytes of `rest`, which is a part of the buffer.
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count: Int = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // If the terminal or pipe is in non-blocking mode, waits until it accepts more bytes.
          var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&output, 1, -1)
        } else if errno != EINTR {
          fail(errno)
        }
      }
    }
  }

  /// Closes standard output. Network file systems report some errors only when a file is closed.
  static func finish() {
    guard !isMissing, close(STDOUT_FILENO) != 0, errno != EBADF else { return }
    fail(errno)
  }

  private static func fail(_ code: Int32) -> Never {
    guard code != EPIPE else { Interruption.end(ExitCode.brokenPipe.rawValue) }
    let reason: String = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    errorLine(
      "atelier: standard output cannot be written to (\(reason)). Results go there; write them to a"
        + " place that takes them.")
    Interruption.end(ExitCode.failure.rawValue)
  }

  /// Writes a line to standard output.
  static func line(_ text: String) { write(text + "\n") }

  /// Writes a line about a written file or another finished step, unless `--quiet` is given: to standard output, or with
  /// `--json` to standard error.
  static func report(_ text: String) {
    guard !isQuiet else { return }
    isForJSON ? errorLine(text) : line(text)
  }

  /// Writes text to standard error.
  static func error(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(named(text).utf8))
  }

  /// Writes a hint for the user to standard error, unless `--quiet` is given.
  static func note(_ text: String) {
    if !isQuiet { errorLine(text) }
  }

  /// Writes a line to standard error.
  static func errorLine(_ text: String) { error(text + "\n") }

  /// Writes a value as JSON with sorted keys. Infinities and NaN, which JSON lacks, become strings.
  static func json(_ value: some Encodable, onOneLine: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    line(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}

extension Int {
  /// The number of bytes with a unit: `4.9 MB`.
  var byteText: String {
    let units: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (size, unit) in units where Double(self) >= size {
      return "\((Double(self) / size).text(decimals: 1)) \(unit)"
    }
    return "\(self) bytes"
  }

  /// The number with spaces between groups of three digits: `552 003`.
  var groupedText: String {
    var text: String = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(" ") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}
