/// A command line that does not fit its syntax, said in one line.
public struct UsageError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The line.
  public var message: String

  /// An error with its line.
  public init(_ message: String) { self.message = message }

  /// The line.
  public var description: String { message }
}
