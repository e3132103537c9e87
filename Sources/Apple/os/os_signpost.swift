/// The kind of a signpost.
public struct OSSignpostType: RawRepresentable, Equatable, Sendable {
  /// The kind's number, as in Apple's framework.
  public let rawValue: UInt8

  /// Makes a kind from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Makes a kind from its number.
  public init(_ value: UInt8) { rawValue = value }

  /// A single moment.
  public static let event: OSSignpostType = OSSignpostType(0)
  /// The beginning of an interval.
  public static let begin: OSSignpostType = OSSignpostType(1)
  /// The end of an interval.
  public static let end: OSSignpostType = OSSignpostType(2)
}

/// The log, the name and the identifier of an interval that has begun and not ended.
private struct OpenInterval: Hashable {
  let log: ObjectIdentifier
  let name: String
  let id: OSSignpostID
}

private let openIntervals: OSAllocatedUnfairLock<[OpenInterval: timespec]> =
  OSAllocatedUnfairLock(uncheckedState: [:])

/// Writes a signpost to standard error if messages of the level `debug` are written.
public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
  signpostID: OSSignpostID = .exclusive
) {
  writeSignpost(type, log, name, signpostID, "")
}

/// Writes a signpost with a message, which may contain C's conversions, such as `%d`.
public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
  signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {
  guard log.signpostsEnabled else { return }
  writeSignpost(type, log, name, signpostID, LogFormat(format.description).text(arguments))
}

private func writeSignpost(
  _ type: OSSignpostType, _ log: OSLog, _ name: StaticString, _ id: OSSignpostID, _ message: String
) {
  guard log.signpostsEnabled, id != .null else { return }
  let interval = OpenInterval(log: ObjectIdentifier(log), name: name.description, id: id)
  let event: String
  switch type {
  case .begin:
    openIntervals.withLockUnchecked { $0[interval] = monotonicTime() }
    event = "begin"
  case .end:
    let start: timespec? = openIntervals.withLockUnchecked { $0.removeValue(forKey: interval) }
    event = start.map { "end after \(milliseconds(since: $0))" } ?? "end"
  default: event = "event"
  }
  LogWriter.write(signpostText(event, name, message), type: .debug, log: log)
}
