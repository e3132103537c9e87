/// The level of a message.
public struct OSLogType: RawRepresentable, Equatable, Sendable {
  /// The level's number, as in Apple's framework.
  public let rawValue: UInt8

  /// Makes a level from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Makes a level from its number.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// A message that is worth keeping.
  public static let `default`: OSLogType = OSLogType(0x00)
  /// A message that helps to find a problem.
  public static let info: OSLogType = OSLogType(0x01)
  /// A message for the developer.
  public static let debug: OSLogType = OSLogType(0x02)
  /// An error of this program.
  public static let error: OSLogType = OSLogType(0x10)
  /// A bug, or an error of several programs.
  public static let fault: OSLogType = OSLogType(0x11)

  /// The order of the levels: debug, info, default, error, fault.
  var severity: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .error: 3
    case .fault: 4
    default: 2
    }
  }

  /// The word for the level in a line of the log; empty for the default level.
  var word: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .error: "error"
    case .fault: "fault"
    default: ""
    }
  }
}
