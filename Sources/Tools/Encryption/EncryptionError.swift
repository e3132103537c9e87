import Platform

/// An error with a key or an encrypted file.
public struct EncryptionError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Sendable {
    /// The key's file is missing, or its content is not a key.
    case badKey
    /// The file was encrypted with another key.
    case otherKey
    /// Bytes of the file are missing or were changed.
    case damaged
    /// A file cannot be read, or libcrypto failed.
    case failed
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that says what is wrong.
  public let description: String

  init(_ code: Code, _ sentence: String) {
    self.code = code
    description = ErrorSentence.tidied(sentence)
  }
}
