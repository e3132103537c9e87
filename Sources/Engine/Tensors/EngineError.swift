import Platform

/// Why the engine cannot do what a model or a caller asks.
public struct EngineError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure this is, for callers that act on it.
  public enum Code: Sendable {
    /// The model contradicts the specification, or its weights do not fit its layers.
    case invalidModel
    /// The model is sound but asks for something that this version cannot compute.
    case unsupported
    /// An input has a wrong shape, type or name.
    case invalidInput
    /// A value that was computed, or an element of an input, says what cannot be: an index that names no place.
    case invalidValue
    /// The plan would not fit the machine's memory.
    case outOfMemory
    /// A custom layer is missing, or threw.
    case customLayer
    /// A library that computes for us refused or failed.
    case backend
    /// The caller did not wait for the end.
    case cancelled
    /// The run took longer than its caller allowed.
    case timedOut
  }

  /// What kind of failure this is.
  public var code: Code
  /// One sentence: the layer or input, what was expected, what was found and the way out.
  public var message: String

  /// An error of the given kind with its sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The sentence.
  public var description: String { message }
}
