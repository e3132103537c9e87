import Platform

/// What went wrong with a style: a code for programs, a sentence for people.
public struct StyleTransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// A network that losses are measured with does not fit.
    case network
    /// A picture, a mask or a weight does not fit.
    case input
    /// A file is missing, damaged, or cannot be written.
    case file
    /// The machine's memory does not suffice.
    case memory
    /// The computation went astray: a loss is not a number.
    case numbers
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence: the thing, what was expected, what was found, the way out.
  public var message: String

  /// An error with its sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The sentence.
  public var description: String { message }
}
