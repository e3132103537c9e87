import Platform

/// An error with a film: a code for programs, a sentence for people.
public struct FilmError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// ffmpeg or ffprobe is missing, or ended with an error.
    case program
    /// The film is missing, damaged, or has no pictures.
    case film
    /// A setting is invalid, or two settings contradict each other.
    case settings
    /// A file cannot be written.
    case output
    /// There is not enough free memory.
    case memory
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
