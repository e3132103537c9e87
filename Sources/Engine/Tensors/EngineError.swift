import Platform

/// The reason why the engine cannot do what a model or a caller requests.
public struct EngineError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers that handle it.
  public enum Code: Sendable {
    /// The model violates the specification of its format, or the sizes of its weights do not match its layers.
    case invalidModel
    /// The model is valid, but this version of the engine cannot compute it.
    case unsupported
    /// An input has a wrong shape, type or name.
    case invalidInput
    /// An element of an input or of a computed tensor is invalid, for example an index out of range.
    case invalidValue
    /// The plan needs more memory than the machine has.
    case outOfMemory
    /// A custom layer is missing, or threw an error.
    case customLayer
    /// A library that a back end uses rejected a call or failed.
    case backend
    /// The caller cancelled the run.
    case cancelled
    /// The run exceeded its time limit.
    case timedOut
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence that names the layer or input, what was expected, what was found, and what the user can do.
  public var message: String

  /// Creates an error of the given kind with a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The message.
  public var description: String { message }
}
