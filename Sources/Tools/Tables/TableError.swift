/// A table that cannot be read.
public struct TableError: Error, CustomStringConvertible, Sendable {
  /// The message, one sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
