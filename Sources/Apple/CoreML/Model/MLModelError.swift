import Foundation
import Platform

/// The error domain of this framework.
public let MLModelErrorDomain: String = "com.apple.CoreML"

/// An error from loading or using a model. `localizedDescription` is one sentence that says what is wrong and how to
/// fix the problem.
public struct MLModelError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
  /// The kind of an error. Raw values are Apple's.
  public enum Code: Int, Sendable, Hashable {
    /// An error that no other code describes.
    case generic = 0
    /// A feature's value is missing or does not match the model's description.
    case featureType = 1
    /// A file could not be read or written, or its contents are not a model.
    case io = 3
    /// A custom layer could not be created, or failed.
    case customLayer = 4
    /// A custom model could not be created, or failed.
    case customModel = 5
    /// An update on the device failed.
    case update = 6
    /// A parameter does not exist or has a wrong value.
    case parameters = 7
    /// The key of an encrypted model could not be fetched.
    case modelDecryptionKeyFetch = 8
    /// An encrypted model could not be decrypted.
    case modelDecryption = 9
    /// A model collection could not be loaded.
    case modelCollection = 10
    /// The prediction's task was cancelled.
    case predictionCancelled = 11
  }

  /// The kind of the error.
  public let code: Code

  /// The message, one sentence.
  let message: String

  /// The description, for debugging, of the error that caused this error; nil if there was no such error.
  let cause: String?

  /// Makes an error with a general message.
  public init(_ code: Code) {
    self.init(code, "The operation on the model failed (\(code)).")
  }

  /// Makes an error. The message is the value of `NSLocalizedDescriptionKey`, or a general message if `userInfo` has no
  /// such value.
  public init(_ code: Code, userInfo: [String: Any]) {
    if let sentence = userInfo[NSLocalizedDescriptionKey] as? String {
      self.init(code, sentence)
    } else {
      self.init(code)
    }
  }

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
    self.cause = cause.map { String(describing: $0) }
  }

  /// The error domain of this framework.
  public static var errorDomain: String { MLModelErrorDomain }

  /// The code's number.
  public var errorCode: Int { code.rawValue }

  /// The message for `NSLocalizedDescriptionKey`, and the cause for `NSDebugDescriptionErrorKey`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let cause { info[NSDebugDescriptionErrorKey] = cause }
    return info
  }

  /// The message, one sentence.
  public var errorDescription: String? { message }

  /// The message, one sentence.
  public var localizedDescription: String { message }
}

extension MLModelError: CustomStringConvertible {
  /// The message, one sentence.
  public var description: String { message }
}

extension MLModelError {
  /// An error that no other code describes.
  public static var generic: Code { .generic }
  /// A feature's value is missing or does not match the model's description.
  public static var featureType: Code { .featureType }
  /// A file could not be read or written, or its contents are not a model.
  public static var io: Code { .io }
  /// A custom layer could not be created, or failed.
  public static var customLayer: Code { .customLayer }
  /// A custom model could not be created, or failed.
  public static var customModel: Code { .customModel }
  /// An update on the device failed.
  public static var update: Code { .update }
  /// A parameter does not exist or has a wrong value.
  public static var parameters: Code { .parameters }
  /// The key of an encrypted model could not be fetched.
  public static var modelDecryptionKeyFetch: Code { .modelDecryptionKeyFetch }
  /// An encrypted model could not be decrypted.
  public static var modelDecryption: Code { .modelDecryption }
  /// A model collection could not be loaded.
  public static var modelCollection: Code { .modelCollection }
  /// The prediction's task was cancelled.
  public static var predictionCancelled: Code { .predictionCancelled }
}

extension MLModelError.Code {
  /// Matches an error with a code in patterns such as `catch MLModelError.io`.
  public static func ~= (code: Self, error: any Error) -> Bool {
    (error as? MLModelError)?.code == code
  }
}
