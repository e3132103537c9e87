import Platform

/// What is wrong with a model file, said in one sentence.
public struct ModelFormatError: Error, CustomStringConvertible, Sendable {
  /// The kind of fault, for callers that decide by it.
  public enum Code: Equatable, Sendable {
    /// The file or folder cannot be opened, read or written.
    case unreadable, unwritable
    /// The file is no Core ML model at all.
    case notAModel
    /// The file is cut off, or its bytes contradict each other.
    case damaged
    /// Messages are nested deeper than `WireReader.maximumDepth`.
    case nestedTooDeep
    /// The file is valid but needs something that this reader does not do.
    case unsupported
    /// A package's manifest or layout breaks the rules.
    case badPackage
    /// Weights are missing, or of another count or kind than the layer needs.
    case badWeights
  }

  /// The kind of fault.
  public var code: Code
  /// The sentence for the user: what it is about, what was expected, what was found, the way out.
  public var message: String
  /// The error below this one, where there is one.
  public var cause: (any Error)?

  /// An error with its sentence.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
    self.cause = cause
  }

  /// The sentence.
  public var description: String { message }
}
