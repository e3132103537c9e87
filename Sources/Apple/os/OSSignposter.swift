/// The text of a signpost.
public typealias SignpostMetadata = OSLogMessage

/// The number that identifies an interval. Intervals with one name can overlap if their numbers differ.
public struct OSSignpostID: Hashable, Comparable, Sendable, RawRepresentable {
  /// The number.
  public let rawValue: UInt64

  /// Makes an identifier from its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes an identifier from its number.
  public init(_ value: UInt64) { rawValue = value }

  /// Makes an identifier that no other signpost of the process has.
  public init(log: OSLog) { rawValue = OSSignpostID.next() }

  /// Makes the identifier of an object. The same object gives the same identifier.
  public init(log: OSLog, object: AnyObject) {
    rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
  }

  /// The identifier for an interval that does not overlap with another interval of its name.
  public static let exclusive: OSSignpostID = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
  /// No identifier. Signposts with this identifier are not written.
  public static let null: OSSignpostID = OSSignpostID(0)
  /// An identifier of no signpost.
  public static let invalid: OSSignpostID = OSSignpostID(~0)

  /// Identifiers are ordered by their numbers.
  public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool {
    left.rawValue < right.rawValue
  }

  private static let counter: OSAllocatedUnfairLock<UInt64> = OSAllocatedUnfairLock(initialState: 0)

  private static func next() -> UInt64 {
    counter.withLock {
      $0 += 1
      return $0
    }
  }
}

/// An interval that has begun.
///
/// `@unchecked Sendable`: the stored properties are constants.
public final class OSSignpostIntervalState: @unchecked Sendable {
  let id: OSSignpostID
  let start: timespec

  init(id: OSSignpostID) {
    self.id = id
    start = monotonicTime()
  }

  /// Makes a new state for an interval that began elsewhere.
  public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState {
    OSSignpostIntervalState(id: id)
  }
}

/// Measures intervals. If messages of the level `debug` are written, writes each interval to standard error, with the
/// time from its beginning to its end.
public struct OSSignposter: @unchecked Sendable {
  private let log: OSLog

  /// Makes a signposter for a subsystem and a category.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Makes a signposter for a subsystem and a category.
  public init(subsystem: String, category: OSLog.Category) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Makes a signposter for a logger's log.
  public init(logger: Logger) { log = logger.logHandle }

  /// Makes a signposter for a log.
  public init(logHandle: OSLog) { log = logHandle }

  /// Makes a signposter for the default log.
  public init() { log = .default }

  /// A signposter that writes nothing.
  public static let disabled: OSSignposter = OSSignposter(logHandle: .disabled)

  /// Whether signposts are written.
  public var isEnabled: Bool { log.signpostsEnabled }

  /// Returns an identifier that no other signpost of the process has.
  public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

  /// Returns the identifier of an object.
  public func makeSignpostID(from object: AnyObject) -> OSSignpostID {
    OSSignpostID(log: log, object: object)
  }

  /// Begins an interval.
  public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive)
    -> OSSignpostIntervalState
  {
    write("begin", name, nil)
    return OSSignpostIntervalState(id: id)
  }

  /// Begins an interval with a message.
  public func beginInterval(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) -> OSSignpostIntervalState {
    write("begin", name, message)
    return OSSignpostIntervalState(id: id)
  }

  /// Ends an interval.
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
    write("end after \(milliseconds(since: state.start))", name, nil)
  }

  /// Ends an interval with a message.
  public func endInterval(
    _ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata
  ) {
    write("end after \(milliseconds(since: state.start))", name, message)
  }

  /// Writes an event.
  public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {
    write("event", name, nil)
  }

  /// Writes an event with a message.
  public func emitEvent(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) {
    write("event", name, message)
  }

  /// Calls a closure as one interval.
  public func withIntervalSignpost<T>(
    _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
  ) rethrows -> T {
    let state: OSSignpostIntervalState = beginInterval(name, id: id)
    defer { endInterval(name, state) }
    return try task()
  }

  /// Calls a closure as one interval with a message.
  public func withIntervalSignpost<T>(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata,
    around task: () throws -> T
  ) rethrows -> T {
    let state: OSSignpostIntervalState = beginInterval(name, id: id, message)
    defer { endInterval(name, state) }
    return try task()
  }

  private func write(
    _ event: @autoclosure () -> String, _ name: StaticString, _ message: SignpostMetadata?
  ) {
    LogWriter.write(
      signpostText(event(), name, message?.text ?? ""), type: .debug, log: log)
  }
}

/// The line of a signpost.
func signpostText(_ event: String, _ name: StaticString, _ message: String) -> String {
  "signpost '\(name)' \(event)\(message.isEmpty ? "" : ": ")\(message)"
}

func monotonicTime() -> timespec {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now
}

/// The time since `start`, such as “3.214 ms”.
func milliseconds(since start: timespec) -> String {
  let now: timespec = monotonicTime()
  let micros: Int = (now.tv_sec - start.tv_sec) * 1_000_000 + (now.tv_nsec - start.tv_nsec) / 1000
  return "\(Double(micros) / 1000) ms"
}
