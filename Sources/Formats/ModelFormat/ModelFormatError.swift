import Platform

/// A fault in a model file, stated in one sentence.
public struct ModelFormatError: Error, CustomStringConvertible, Sendable {
  /// The kind of fault, for callers that handle kinds differently.
  public enum Code: Equatable, Sendable {
    /// The file or folder cannot be opened, read or written.
    case unreadable, unwritable
    /// The file is not a Core ML model.
    case notAModel
    /// The file is truncated, or its bytes contradict each other.
    case damaged
    /// Messages are nested deeper than `WireReader.maximumDepth`.
    case nestedTooDeep
    /// The file is valid but needs something that this reader does not support.
    case unsupported
    /// A package's manifest or layout violates the rules.
    case badPackage
    /// Weights are missing, or have a wrong number or type for the layer.
    case badWeights
  }

  /// The kind of fault.
  public var code: Code
  /// The sentence for the user: what is at fault, what was expected, what was found, and what to do.
  public var message: String
  /// The error that caused this error; nil if there was no such error.
  public var cause: (any Error)?

  /// Makes an error with this sentence.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
    self.cause = cause
  }

  /// The sentence for the user: `message`.
  public var description: String { message }
}
