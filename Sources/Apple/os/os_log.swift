/// Writes a message with the default level to the default log.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { Logger().log(message) }

/// Writes a message to the default log.
@_disfavoredOverload
public func os_log(_ type: OSLogType, _ message: OSLogMessage) {
  Logger().log(level: type, message)
}

/// Writes a message to a log.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog, _ message: OSLogMessage) {
  Logger(log).log(level: type, message)
}

/// Writes a message with C's conversions, such as `%d`, `%{public}s` or `%@`.
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default,
  type: OSLogType = .default, _ args: any CVarArg...
) {
  os_log(type, dso: dso, log: log, message, args)
}

/// Writes a message with C's conversions, such as `%d`, `%{public}s` or `%@`.
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
  _ args: any CVarArg...
) {
  os_log(type, dso: dso, log: log, message, args)
}

/// Writes a message with C's conversions, such as `%d`, `%{public}s` or `%@`.
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
  _ args: [any CVarArg]
) {
  LogWriter.write(LogFormat(message.description).text(args), type: type, log: log)
}

/// A format of C's printf with os_log's options in braces after `%`.
struct LogFormat {
  private let format: String

  init(_ format: String) { self.format = format }

  /// The message. Hides values with the options `private` or `sensitive`.
  func text(_ arguments: [any CVarArg]) -> String {
    var result: String = ""
    var rest: Substring = format[...]
    var remaining: ArraySlice<any CVarArg> = arguments[...]
    while let start = rest.firstIndex(of: "%") {
      result += rest[..<start]
      rest = rest[rest.index(after: start)...]
      if rest.first == "%" {
        result += "%"
        rest.removeFirst()
        continue
      }
      var options: Substring = ""
      if rest.first == "{", let end = rest.firstIndex(of: "}") {
        options = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
      }
      guard let end = rest.firstIndex(where: { "diouxXeEfFgGaAcsSp@mD".contains($0) }) else {
        return result + "%" + rest
      }
      let conversion: Substring = rest[...end]
      rest = rest[rest.index(after: end)...]
      result += shown(conversion, options, &remaining)
    }
    return result + rest
  }

  private func shown(
    _ conversion: Substring, _ options: Substring, _ arguments: inout ArraySlice<any CVarArg>
  ) -> String {
    // For a star, an argument gives the number of columns.
    var values: [any CVarArg] = []
    for _ in 0..<(conversion.count { $0 == "*" } + 1) {
      guard let value = arguments.popFirst() else { return "<missing argument>" }
      values.append(value)
    }
    let words: [Substring] = options.split { ",: ".contains($0) }
    if words.contains("private") { return "<private>" }
    if words.contains("sensitive") { return "<sensitive>" }
    if "@sS".contains(conversion.last ?? "@"), let value = values.last {
      return described(value)
    }
    return String(format: "%" + conversion, arguments: values)
  }

  /// The text of an object, a Swift string or a pointer to a C string.
  private func described(_ value: any CVarArg) -> String {
    switch value {
    // Safe: the format promises that the pointer is a C string.
    case let pointer as UnsafePointer<CChar>: String(cString: pointer)
    case let pointer as UnsafeMutablePointer<CChar>: String(cString: pointer)
    default: "\(value)"
    }
  }
}
