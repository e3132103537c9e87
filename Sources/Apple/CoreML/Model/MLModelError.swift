import Foundation
import Platform

/// The domain of the errors of this framework.
public let MLModelErrorDomain: String = "com.apple.CoreML"

/// An error of loading or using a model. `localizedDescription` says in one sentence what is
/// wrong and the way out.
public struct MLModelError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
  /// What kind of thing went wrong. Raw values are Apple's.
  public enum Code: Int, Sendable, Hashable {
    /// Anything that no other case fits.
    case generic = 0
    /// A feature's value is missing or not what the model's description asks for.
    case featureType = 1
    /// A file could not be read or written, or its contents are not a model.
    case io = 3
    /// A custom layer could not be made, or failed.
    case customLayer = 4
    /// A custom model could not be made, or failed.
    case customModel = 5
    /// An update on the device failed.
    case update = 6
    /// A parameter does not exist or has a wrong value.
    case parameters = 7
    /// The key of an encrypted model could not be had.
    case modelDecryptionKeyFetch = 8
    /// An encrypted model could not be decrypted.
    case modelDecryption = 9
    /// A model collection could not be had.
    case modelCollection = 10
    /// The prediction's task was cancelled.
    case predictionCancelled = 11
  }

  /// What kind of thing went wrong.
  public let code: Code

  /// The sentence.
  let message: String

  /// The error that caused this one, for people who debug.
  let cause: String?

  /// Makes an error with a general sentence.
  public init(_ code: Code) {
    self.init(code, "The operation on the model failed (\(code)).")
  }

  /// Makes an error; the sentence is taken from `NSLocalizedDescriptionKey` where there is one.
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

  /// The domain of the errors of this framework.
  public static var errorDomain: String { MLModelErrorDomain }

  /// The code's number.
  public var errorCode: Int { code.rawValue }

  /// The sentence under `NSLocalizedDescriptionKey`, and the cause's text.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let cause { info[NSDebugDescriptionErrorKey] = cause }
    return info
  }

  /// The sentence.
  public var errorDescription: String? { message }

  /// The sentence.
  public var localizedDescription: String { message }
}

extension MLModelError: CustomStringConvertible {
  /// The sentence.
  public var description: String { message }
}

extension MLModelError {
  /// Anything that no other code fits.
  public static var generic: Code { .generic }
  /// A feature's value is missing or not what the model's description asks for.
  public static var featureType: Code { .featureType }
  /// A file could not be read or written, or its contents are not a model.
  public static var io: Code { .io }
  /// A custom layer could not be made, or failed.
  public static var customLayer: Code { .customLayer }
  /// A custom model could not be made, or failed.
  public static var customModel: Code { .customModel }
  /// An update on the device failed.
  public static var update: Code { .update }
  /// A parameter does not exist or has a wrong value.
  public static var parameters: Code { .parameters }
  /// The key of an encrypted model could not be had.
  public static var modelDecryptionKeyFetch: Code { .modelDecryptionKeyFetch }
  /// An encrypted model could not be decrypted.
  public static var modelDecryption: Code { .modelDecryption }
  /// A model collection could not be had.
  public static var modelCollection: Code { .modelCollection }
  /// The prediction's task was cancelled.
  public static var predictionCancelled: Code { .predictionCancelled }
}

extension MLModelError.Code {
  /// Lets `catch MLModelError.io` work.
  public static func ~= (code: Self, error: any Error) -> Bool {
    (error as? MLModelError)?.code == code
  }
}
