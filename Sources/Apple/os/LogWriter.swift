import Glibc

/// Writes lines to standard error.
enum LogWriter {
  /// The lowest level that is written, from the environment variable `OS_LOG_LEVEL`.
  static let lowestSeverity: Int = severity(
    named: ProcessInfo.processInfo.environment["OS_LOG_LEVEL"])

  /// The lowest level that is written for a value of `OS_LOG_LEVEL`.
  static func severity(named name: String?) -> Int {
    switch name?.lowercased() {
    case "debug": OSLogType.debug.severity
    case "info": OSLogType.info.severity
    case "error": OSLogType.error.severity
    case "fault": OSLogType.fault.severity
    case "off": OSLogType.fault.severity + 1
    default: OSLogType.default.severity
    }
  }

  /// Writes a message if its level is enabled.
  static func write(_ message: @autoclosure () -> String, type: OSLogType, log: OSLog) {
    guard log.isEnabled(type: type) else { return }
    let text: String = line(message(), type: type, log: log)
    // One call writes the whole line, so lines of different threads do not mix. If standard error is closed, the line
    // is lost.
    _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// The line for a message: time, program, process and thread, subsystem and category, level, message.
  static func line(_ message: String, type: OSLogType, log: OSLog) -> String {
    var names: String = ""
    if !log.subsystem.isEmpty || !log.category.isEmpty {
      names = " [\(log.subsystem):\(log.category)]"
    }
    let level: String = type.word.isEmpty ? "" : " \(type.word):"
    return
      "\(timestamp()) \(program)[\(getpid()):\(atelier_os_thread_number())]\(names)\(level) \(message)\n"
  }

  private static let program: String = ProcessInfo.processInfo.processName

  /// The local time in microseconds, with the offset from UTC.
  private static func timestamp() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    localtime_r(&now.tv_sec, &parts)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let offset: Int = abs(parts.tm_gmtoff) / 60
    let micros: String = String(1_000_000 + now.tv_nsec / 1000).dropFirst().description
    return "\(Int(parts.tm_year) + 1900)-\(two(Int(parts.tm_mon) + 1))-\(two(Int(parts.tm_mday)))"
      + " \(two(Int(parts.tm_hour))):\(two(Int(parts.tm_min))):\(two(Int(parts.tm_sec))).\(micros)"
      + "\(parts.tm_gmtoff < 0 ? "-" : "+")\(two(offset / 60))\(two(offset % 60))"
  }
}
