import Platform

/// An error with a style: a code for programs, a sentence for people.
public struct StyleTransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// A feature network or a style network does not have the expected inputs, outputs or layers.
    case network
    /// A picture, a mask or a weight is invalid.
    case input
    /// A file is missing, damaged, or cannot be written.
    case file
    /// There is not enough free memory.
    case memory
    /// The computation diverged: a loss is not a number.
    case numbers
  }

  /// The kind of failure.
  public var code: Code
  /// A sentence that says what failed, what was expected, what was found, and what to do.
  public var message: String

  /// Creates an error with a sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The same as ``message``.
  public var description: String { message }
}
