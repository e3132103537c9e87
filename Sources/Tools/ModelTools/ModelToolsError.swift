import Platform

/// What went wrong with a tool: a code for programs, a sentence for people.
public struct ModelToolsError: Error, CustomStringConvertible, Sendable {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// A file cannot be read, written or put in its place.
    case file
    /// A package cannot be had from the package index.
    case notFetched
    /// A file is not the one that was pinned.
    case wrongDigest
    /// A pickle asks for more than arrays, or is damaged.
    case badPickle
    /// Weights are missing or of another shape than the network needs.
    case badWeights
    /// The model is of a kind that the tool does not know.
    case unsupported
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
