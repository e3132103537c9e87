import Platform

/// What is wrong with a key or an encrypted file.
public struct EncryptionError: Error, Sendable, CustomStringConvertible {
  /// What kind of thing went wrong.
  public enum Code: Sendable {
    /// A key's file is missing, or is none.
    case badKey
    /// The key is another one than the file was encrypted with.
    case otherKey
    /// Bytes of the file are missing or were changed.
    case damaged
    /// A file cannot be read, or libcrypto failed.
    case failed
  }

  /// What kind of thing went wrong.
  public let code: Code
  /// One sentence.
  public let description: String

  init(_ code: Code, _ sentence: String) {
    self.code = code
    description = ErrorSentence.tidied(sentence)
  }
}
