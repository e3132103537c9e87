import Platform

/// An error of a tool: a code for programs, and a sentence for people.
public struct ModelToolsError: Error, CustomStringConvertible, Sendable {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// A file cannot be read, written or replaced.
    case file
    /// A package cannot be fetched from the package index.
    case notFetched
    /// A file does not have the pinned digest.
    case wrongDigest
    /// A pickle contains more than arrays, or is damaged.
    case badPickle
    /// Weights are missing, or have another shape than the network needs.
    case badWeights
    /// The tool does not support this type of model.
    case unsupported
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
