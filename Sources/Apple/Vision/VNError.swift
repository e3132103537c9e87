import Foundation
import Platform

/// The error domain of this framework.
public let VNErrorDomain: String = "com.apple.vis"

/// An error of a request. `localizedDescription` is one sentence that says what is wrong and how to fix the problem.
/// Errors that the model throws are `MLModelError`s.
public struct VNError: Error, CustomNSError, LocalizedError, Hashable, Sendable,
  CustomStringConvertible
{
  /// The kind of the error.
  public let code: VNErrorCode

  private let message: String

  init(_ code: VNErrorCode, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The error domain of this framework.
  public static var errorDomain: String { VNErrorDomain }

  /// The code's number.
  public var errorCode: Int { code.rawValue }

  /// The message for `NSLocalizedDescriptionKey`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }

  /// The message, one sentence.
  public var errorDescription: String? { message }

  /// The message, one sentence.
  public var localizedDescription: String { message }

  /// The message, one sentence.
  public var description: String { message }
}
