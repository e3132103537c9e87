import Foundation

/// What the program says: results on standard output, everything else on standard error.
///
/// All results leave through here. Where standard output does not take them the program ends: in silence
/// where the reader has gone, as programs do in a pipe, else with a sentence.
enum Output {
  /// Whether the program was started without a standard output.
  nonisolated(unsafe) private static var isMissing = false

  /// Makes standard output, input and error safe to use; the first thing that the program does.
  ///
  /// Where one of them is closed its number would go to the next file that is opened, and results would be
  /// written into that.
  static func prepare() {
    // Safe: nothing else runs yet.
    isMissing = fcntl(STDOUT_FILENO, F_GETFD) < 0
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    // A write to a reader that has gone then says so.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes text as it is.
  static func write(_ text: String) {
    if isMissing { fail(EBADF) }
    let bytes: [UInt8] = Array(text.utf8)
    bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      var done: Int = 0
      while done < bytes.count {
        // Safe: the system reads what the buffer has left.
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count: Int = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // A terminal or pipe that was set not to wait is waited for here.
          var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&output, 1, -1)
        } else if errno != EINTR {
          fail(errno)
        }
      }
    }
  }

  /// Says that all is written; file systems over a network find out at the end alone.
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

  /// Writes a line.
  static func line(_ text: String) { write(text + "\n") }

  /// Writes text to standard error.
  static func error(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes a line to standard error.
  static func errorLine(_ text: String) { error(text + "\n") }

  /// Writes a value as JSON with sorted keys; numbers that JSON does not have become texts.
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
  /// A number of bytes for people: `4.9 MB`.
  var byteText: String {
    let units: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (size, unit) in units where Double(self) >= size {
      return "\((Double(self) / size).text(decimals: 1)) \(unit)"
    }
    return "\(self) bytes"
  }

  /// A number with spaces between its thousands: `552 003`.
  var groupedText: String {
    var text: String = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(" ") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}
