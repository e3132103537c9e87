/// A log. Each of its lines names the subsystem and the category.
open class OSLog: NSObject, @unchecked Sendable {
  /// A category with a meaning to Apple's tools.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The category's name.
    public let rawValue: String

    /// Makes a category from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Events that Instruments shows as points of interest.
    public static let pointsOfInterest: Category = Category(rawValue: "PointsOfInterest")
    /// Intervals that are recorded only while a tool asks for them.
    public static let dynamicTracing: Category = Category(rawValue: "DynamicTracing")
    /// Intervals with the stack of their caller.
    public static let dynamicStackTracing: Category = Category(rawValue: "DynamicStackTracing")
  }

  let subsystem: String
  let category: String
  private let isDisabled: Bool

  /// Makes a log.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
    isDisabled = false
  }

  /// Makes a log.
  public convenience init(subsystem: String, category: Category) {
    self.init(subsystem: subsystem, category: category.rawValue)
  }

  private init(isDisabled: Bool) {
    subsystem = ""
    category = ""
    self.isDisabled = isDisabled
  }

  /// The log without subsystem and category.
  public static let `default`: OSLog = OSLog(isDisabled: false)

  /// The log that writes nothing.
  public static let disabled: OSLog = OSLog(isDisabled: true)

  /// Returns whether messages of a level are written. The environment variable `OS_LOG_LEVEL` decides: `debug`, `info`,
  /// `default`, `error`, `fault` or `off`. Without this variable, the level `default` and higher levels are written.
  public func isEnabled(type: OSLogType) -> Bool {
    !isDisabled && type.severity >= LogWriter.lowestSeverity
  }

  /// Whether signposts are written. They are written if messages of the level `debug` are written.
  public var signpostsEnabled: Bool { isEnabled(type: .debug) }
}
