/// Writes messages to a log.
public struct Logger: @unchecked Sendable {
  let logHandle: OSLog

  /// Makes a logger for a subsystem and a category.
  public init(subsystem: String, category: String) {
    logHandle = OSLog(subsystem: subsystem, category: category)
  }

  /// Makes a logger for the default log.
  public init() { logHandle = .default }

  /// Makes a logger for a log.
  public init(_ logObj: OSLog) { logHandle = logObj }

  /// Writes a message with a level.
  public func log(level: OSLogType, _ message: OSLogMessage) {
    LogWriter.write(message.text, type: level, log: logHandle)
  }

  /// Writes a message with the default level.
  public func log(_ message: OSLogMessage) { log(level: .default, message) }

  /// Writes a message with the level `debug`.
  public func trace(_ message: OSLogMessage) { log(level: .debug, message) }

  /// Writes a message with the level `debug`.
  public func debug(_ message: OSLogMessage) { log(level: .debug, message) }

  /// Writes a message with the level `info`.
  public func info(_ message: OSLogMessage) { log(level: .info, message) }

  /// Writes a message with the default level.
  public func notice(_ message: OSLogMessage) { log(level: .default, message) }

  /// Writes a message with the level `error`.
  public func warning(_ message: OSLogMessage) { log(level: .error, message) }

  /// Writes a message with the level `error`.
  public func error(_ message: OSLogMessage) { log(level: .error, message) }

  /// Writes a message with the level `fault`.
  public func critical(_ message: OSLogMessage) { log(level: .fault, message) }

  /// Writes a message with the level `fault`.
  public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}
