import Foundation
import Platform

/// The domain of the errors of this framework.
public let VNErrorDomain: String = "com.apple.vis"

/// An error of a request. `localizedDescription` says in one sentence what is wrong and the way
/// out. Errors of the model itself are `MLModelError`s.
public struct VNError: Error, CustomNSError, LocalizedError, Hashable, Sendable,
  CustomStringConvertible
{
  /// What kind of thing went wrong.
  public let code: VNErrorCode

  private let message: String

  init(_ code: VNErrorCode, _ message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The domain of the errors of this framework.
  public static var errorDomain: String { VNErrorDomain }

  /// The code's number.
  public var errorCode: Int { code.rawValue }

  /// The sentence under `NSLocalizedDescriptionKey`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }

  /// The sentence.
  public var errorDescription: String? { message }

  /// The sentence.
  public var localizedDescription: String { message }

  /// The sentence.
  public var description: String { message }
}
