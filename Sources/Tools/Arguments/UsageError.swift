/// An error in the command line, described in one line.
public struct UsageError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The description of the error, in one line.
  public var message: String

  /// Creates an error with a description in one line.
  public init(_ message: String) { self.message = message }

  /// The same as ``message``.
  public var description: String { message }
}
