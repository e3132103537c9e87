/// What is wrong with a model, or with what was given to one, in one sentence.
public struct ClassicalModelError: Error, CustomStringConvertible, Equatable, Sendable {
  /// Whose fault it is.
  public enum Code: Equatable, Sendable {
    /// The model's file does not hold what its specification asks for.
    case invalidModel
    /// The input does not fit the model.
    case invalidInput
  }

  /// Whose fault it is.
  public let code: Code
  /// The sentence.
  public let message: String

  /// The sentence.
  public var description: String { message }

  static func model(_ message: String) -> ClassicalModelError {
    ClassicalModelError(code: .invalidModel, message: message)
  }

  static func input(_ message: String) -> ClassicalModelError {
    ClassicalModelError(code: .invalidInput, message: message)
  }
}
