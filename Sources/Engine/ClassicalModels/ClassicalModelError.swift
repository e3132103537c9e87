/// An error in a model or in its input, in one sentence.
public struct ClassicalModelError: Error, CustomStringConvertible, Equatable, Sendable {
  /// Whether the model or the input is invalid.
  public enum Code: Equatable, Sendable {
    /// The model's file violates its specification.
    case invalidModel
    /// The input does not fit the model.
    case invalidInput
  }

  /// Whether the model or the input is invalid.
  public let code: Code
  /// The message.
  public let message: String

  /// The message.
  public var description: String { message }

  static func model(_ message: String) -> ClassicalModelError {
    ClassicalModelError(code: .invalidModel, message: message)
  }

  static func input(_ message: String) -> ClassicalModelError {
    ClassicalModelError(code: .invalidInput, message: message)
  }
}
